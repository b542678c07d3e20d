import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests a state folder that cannot be used: the reason, the hint and the exit status.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct StateFolderTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/box/")
    }

    @Test func `S11 a folder that cannot be created has status 73`() async throws {
        let path = try place.file("plain")
        let result = try await place.ferry("add", path, "--state", path + "/below")
        #expect(result.ending == .exited(73), "\(result.errors)")
        #expect(result.errors.hasPrefix("error: the state folder \(path)/below cannot be created: "))
        #expect(result.errors.contains("\nhint: name another folder with --state-dir\n"))
    }

    @Test func `S11 a folder that may not be written has status 77`() async throws {
        let folder = place.directory.path("readonly")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o500])
        let process = try place.start(through: Privilege.without, ["list", "--state", folder])
        let result = try await Workplace.result(of: process)
        #expect(result.ending == .exited(77))
        #expect(
            result.errors.hasPrefix("error: \(folder) cannot be used: Permission denied (mode 0500)\nhint: "))
    }

    @Test func `S11 a state folder of another user ends the command with status 77`() async throws {
        var folder = "/usr"
        if Privilege.isRoot {
            folder = place.directory.path("theirs")
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
            try #require(chown(folder, 1, 1) == 0)
        }
        let result = try await place.ferry("list", "--state", folder)
        #expect(result.ending == .exited(77))
        #expect(result.errors.contains("belongs to user \(Privilege.isRoot ? 1 : 0)"))
    }

    @Test func `S11 a folder that others can read has status 77 and the command that closes it`() async throws
    {
        let folder = place.directory.path("open")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        let result = try await place.ferry("list", "--state", folder)
        #expect(result.ending == .exited(77))
        #expect(result.errors.contains("is open to other users\nhint: `chmod go-rwx \(folder)`"))
    }

    @Test func `the queue's folder and files are closed to other users`() async throws {
        try await place.ferry("add", try place.file("a"))
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: place.state) {
            let mode = try files.attributesOfItem(atPath: place.state + "/" + name)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(name)")
        }
        #expect(try files.attributesOfItem(atPath: place.state)[.posixPermissions] as? Int == 0o700)
    }

    @Test func `S13 a queue that a silent process has locked has status 75`() async throws {
        try await place.ferry("add", try place.file("a"))
        let descriptor = open(place.state + "/lock", O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        for words in [["list"], ["pause", "1"], ["add", place.path("a")]] {
            let result = try await Workplace.result(of: try place.start(words))
            #expect(result.ending == .exited(75), "\(words) \(result.errors)")
            #expect(result.errors.hasPrefix("error: the queue is in use"))
            #expect(result.errors.contains("does not answer"))
        }
        #expect(try await place.ferry("run", "--exit-when-idle").ending == .exited(75))
    }

    @Test(.enabled("needs root and the right to mount", SmallDisk.isPossible), arguments: [true, false])
    func `S11 a folder on a disk that is read-only has status 77, and nothing is sent`(
        isOfAnother: Bool
    ) async throws {
        let server = try HostileServer([.answer(201)])
        defer { server.stop() }
        try place.configure("put", at: server.url("/box/"))
        try await place.ferry("add", try place.file("a"))
        let state = isOfAnother ? place.directory.path("state-home") : place.state
        // The mounts are made in a namespace, so none is left when the program ends.
        let script = """
            mount --make-rprivate / && mount --bind '\(state)' '\(state)' && \
            mount -o remount,ro,bind '\(state)' && exec "$@"
            """
        let words = ["unshare", "--mount", "sh", "-c", script, "sh"]
        let folder = isOfAnother ? place.directory.path("state-home/new") : place.state
        // `list` does not need the folder to exist.
        let looking = isOfAnother ? [] : [["list"]]
        for command in [["run", "--exit-when-idle"], ["add", place.path("a")]] + looking {
            let process = try place.start(through: words, command + ["--state", folder])
            let result = try await Workplace.result(of: process)
            #expect(result.ending == .exited(77), "\(result.errors)")
            #expect(
                result.errors.hasPrefix("error: \(folder) cannot be used: Read-only file system"),
                "\(result.errors)")
            if !isOfAnother { #expect(result.errors.contains("(mode 0700)")) }
            #expect(result.errors.contains("--state"))
        }
        #expect(server.requests.isEmpty)
        guard !isOfAnother else { return }
        // Commands that only read still work.
        for command in [["state", "verify"], ["state", "export"], ["history"]] {
            let result = try await Workplace.result(of: try place.start(through: words, command))
            #expect(result.ending == .exited(0), "\(command): \(result.errors)")
        }
    }

    @Test(.enabled(if: Privilege.isRoot, "only root may become a user that the system does not know"))
    func `S11 without a home there is a sentence and no queue somewhere else`() async throws {
        var homeless = place
        homeless.environment["HOME"] = nil
        homeless.environment["XDG_STATE_HOME"] = nil
        homeless.environment["XDG_CONFIG_HOME"] = nil
        let words = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]
        let process = try homeless.start(through: words, ["list"])
        let result = try await Workplace.result(of: process)
        #expect(
            [.exited(73), .exited(77), .exited(2)].contains(result.ending),
            "\(result.ending) \(result.errors)")
        #expect(result.errors.contains("--state"), "\(result.errors)")
        print("S11: without HOME: \(result.errors)")
    }

    @Test(.enabled(if: Privilege.has("strace"), "needs strace"))
    func `S16 without locks nothing starts, and it is said why`() async throws {
        try await place.ferry("add", try place.file("a"))
        for command in [["run", "--exit-when-idle"], ["list"]] {
            let tracing = ["strace", "-f", "-o", "/dev/null", "-e", "inject=flock:error=ENOLCK"]
            let result = try await Workplace.result(of: try place.start(through: tracing, command))
            #expect(result.ending == .exited(73), "\(result.errors)")
            #expect(
                result.errors.hasPrefix(
                    "error: the file system of \(place.state) cannot lock files (ENOLCK)\nhint: "),
                "\(result.errors)")
            #expect(result.errors.contains("local disk with --state-dir"))
        }
        #expect(try await place.list().map(\.name) == ["a"])
    }

    @Test(.enabled("needs root and the right to mount", SmallDisk.isPossible))
    func `S16 a folder on a network file system is used with one warning at the start`() async throws {
        // A changed mount table stands in for the kernel's. It names another type of file system.
        let script = """
            mount --make-rprivate / && sed 's/ - [^ ]* / - nfs4 /' /proc/$$/mountinfo > '\(place.directory.path)/mounts' \
            && mount --bind '\(place.directory.path)/mounts' /proc/$$/mountinfo && exec "$@"
            """
        let words = ["unshare", "--mount", "sh", "-c", script, "sh"]
        let run = try await Workplace.result(
            of: try place.start(through: words, ["run", "--exit-when-idle"]))
        #expect(run.ending == .exited(0), "\(run.errors)")
        let warnings = run.errors.split(separator: "\n").filter {
            $0.contains("is on a network file system (nfs4)")
        }
        #expect(warnings.count == 1, "\(run.errors)")
        #expect(warnings.first?.hasPrefix("warning: the state folder \(place.state) ") == true)
        #expect(warnings.first?.contains("--state") == true)
        #expect(try await place.ferry("run", "--exit-when-idle").errors.isEmpty)
    }

    @Test(.enabled("needs root and the right to mount", SmallDisk.isPossible))
    func `S8 on a full disk an add is refused, and what was acknowledged stays`() async throws {
        try await SmallDisk.with { folder in
            let state = folder + "/state"
            let names = (0..<40).map { "\($0)-" + String(repeating: "long name ", count: 20) }
            for name in names { try place.file(name) }
            var acknowledged = 0
            var refusal: CommandResult?
            for _ in 0..<200 where refusal == nil {
                let result = try await place.ferry("add", "--again", "--state", state, place.path("*"))
                if result.ending == .exited(0) { acknowledged += names.count } else { refusal = result }
            }
            let refused = try #require(refusal)
            #expect(refused.ending == .exited(73))
            #expect(refused.errors.hasPrefix("error: disk full: the queue in \(state) was not saved\nhint: "))
            #expect(acknowledged > 0)
            let list = try await place.ferry("list", "--json", "--state", state)
            #expect(list.ending == .exited(0), "\(list.errors)")
            #expect(try UploadLine.all(in: list.lines).count == acknowledged)
        }
    }
}

/// A file system of a few kilobytes.
private enum SmallDisk {
    static func with(_ body: (String) async throws -> Void) async throws {
        let directory = try TemporaryDirectory()
        let options = "size=128k,mode=0700"
        let isMounted = await ChildProcess.succeeds(
            "mount", "-t", "tmpfs", "-o", options, "tmpfs", directory.path)
        try #require(isMounted)
        do { try await body(directory.path) } catch {
            _ = await ChildProcess.succeeds("umount", directory.path)
            throw error
        }
        #expect(await ChildProcess.succeeds("umount", directory.path))
    }

    /// Returns true if this process may mount file systems, which root in a container may not. It mounts nothing that
    /// stays.
    @Sendable static func isPossible() async -> Bool {
        guard Privilege.isRoot else { return false }
        return await ChildProcess.succeeds("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt")
    }
}
