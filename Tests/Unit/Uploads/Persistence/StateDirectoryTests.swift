import FerryFiles
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import Foundation
import Synchronization
import Testing

@testable import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct StateDirectoryTests {
    private let state: TemporaryState

    init() throws { state = try TemporaryState() }

    /// Makes a state folder with a queue, and closes it.
    private func makeQueue() async throws {
        let journal = FileJournal(try state.open().lock())
        _ = try journal.load()
        try await journal.append([.set(.make())], durably: true)
        try await journal.close()
    }

    private func danger(_ body: () throws(JournalError) -> Void) -> JournalError.Danger? {
        do throws(JournalError) {
            try body()
            return nil
        } catch {
            #expect(error.exitStatus == 77)
            guard case .unsafe(_, _, let danger) = error else { return nil }
            return danger
        }
    }

    @Test func `missing folders are made, the last closed to others`() throws {
        let deep = state.parent + "/a/b/state"
        _ = try StateDirectory(at: LocalPath(deep))
        #expect(try FileManager.default.attributesOfItem(atPath: deep)[.posixPermissions] as? Int == 0o700)
    }

    @Test func `every file is closed to others, whatever the umask`() async {
        // The threads of a process share the umask, on which other tests depend.
        await #expect(processExitsWith: .success) {
            umask(0)
            let test = try StateDirectoryTests()
            try await test.makeQueue()
            #expect(try test.state.mode() == 0o700)
            for name in try FileManager.default.contentsOfDirectory(atPath: test.state.path) {
                #expect(try test.state.mode(of: name) == 0o600, "\(name)")
            }
        }
    }

    @Test func `S11 a folder open to others is refused`() throws {
        _ = try state.open()
        try state.setMode(0o750, of: state.path)
        #expect(danger { () throws(JournalError) in _ = try state.open() } == .openToOthers)
    }

    @Test func `a folder that is a link is refused`() throws {
        try FileManager.default.createSymbolicLink(atPath: state.path, withDestinationPath: state.parent)
        #expect(danger { () throws(JournalError) in _ = try state.open() } == .symbolicLink)
    }

    @Test func `a file instead of the folder is refused`() throws {
        try Data().write(to: URL(filePath: state.path))
        #expect(danger { () throws(JournalError) in _ = try state.open() } == .notADirectory)
    }

    @Test func `a folder below one that everybody may change is refused, unless that one is sticky`() throws {
        try state.setMode(0o777, of: state.parent)
        #expect(danger { () throws(JournalError) in _ = try state.open() } == .parentOpenToOthers)
        try state.setMode(0o1777, of: state.parent)
        _ = try state.open()
    }

    @Test func `a folder below one that a group may change is refused, and the error names that one`() throws
    {
        try state.setMode(0o2775, of: state.parent)
        let error = #expect(throws: JournalError.self) { try state.open() }
        guard case .unsafe(let path, _, .parentOpenToOthers) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(error?.hint == "`chmod go-w \(path)`, or use another folder")
        #expect(URL(filePath: path).lastPathComponent == URL(filePath: state.parent).lastPathComponent)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give a folder away"))
    func `a folder below one of another user is refused`() throws {
        _ = try state.open()
        try state.setMode(0o755, of: state.parent)
        #expect(chown(state.parent, 12345, 12345) == 0)
        #expect(danger { () throws(JournalError) in _ = try state.open() } == .parentOfAnotherUser(12345))
    }

    @Test func `a folder behind a link that others can replace is refused`() throws {
        let (own, open) = (state.parent + "/own", state.parent + "/open")
        for folder in [own, open] {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        }
        try FileManager.default.createSymbolicLink(atPath: open + "/link", withDestinationPath: own)
        let path = LocalPath(open + "/link/state")
        _ = try StateDirectory(at: path)
        try state.setMode(0o777, of: open)
        #expect(danger { () throws(JournalError) in _ = try StateDirectory(at: path) } == .parentOpenToOthers)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give a folder away"))
    func `S11 a folder of another user is refused`() throws {
        _ = try state.open()
        #expect(chown(state.path, 12345, 12345) == 0)
        #expect(danger { () throws(JournalError) in _ = try state.open() } == .owner(12345))
    }

    @Test func `S11 a folder that cannot be created is named, with status 73`() throws {
        try Data().write(to: URL(filePath: state.parent + "/file"))
        let error = #expect(throws: JournalError.self) {
            try StateDirectory(at: LocalPath(state.parent + "/file/state"))
        }
        #expect(error == .folderCannotBeMade(path: state.parent + "/file/state", code: ENOTDIR))
        #expect(error?.exitStatus == 73)
    }

    @Test(arguments: ["queue.json", "queue.prev.json", "journal.2.jsonl", "lock"])
    func `a link planted at a file's name is refused and its target not touched`(name: String) async throws {
        try await makeQueue()
        let target = state.parent + "/target"
        try Data("precious".utf8).write(to: URL(filePath: target))
        try? FileManager.default.removeItem(atPath: state.path + "/" + name)
        // The previous snapshot is read only if the current one is missing.
        if name == "queue.prev.json" {
            try FileManager.default.removeItem(atPath: state.path + "/queue.json")
        }
        try FileManager.default.createSymbolicLink(
            atPath: state.path + "/" + name, withDestinationPath: target)
        #expect(
            danger { () throws(JournalError) in _ = try FileJournal(state.open().lock()).load() }
                == .symbolicLink)
        #expect(try Data(contentsOf: URL(filePath: target)) == Data("precious".utf8))
    }

    @Test func `a second name of a file is refused`() async throws {
        try await makeQueue()
        #expect(link(state.path + "/queue.json", state.parent + "/other") == 0)
        #expect(
            danger { () throws(JournalError) in _ = try FileJournal(state.open().lock()).load() }
                == .otherNames(count: 2))
    }

    @Test func `both snapshots may be names of one file, as a crash leaves them`() async throws {
        try await makeQueue()
        try FileManager.default.removeItem(atPath: state.path + "/queue.prev.json")
        #expect(link(state.path + "/queue.json", state.path + "/queue.prev.json") == 0)
        #expect(try FileJournal(state.open().lock()).load().uploads == [.make()])
    }

    @Test func `a pipe at a file's name is refused at once`() async throws {
        try await makeQueue()
        try FileManager.default.removeItem(atPath: state.path + "/queue.json")
        #expect(mkfifo(state.path + "/queue.json", 0o600) == 0)
        #expect(
            danger { () throws(JournalError) in _ = try FileJournal(state.open().lock()).load() }
                == .notARegularFile)
    }

    @Test func `a file that others may read is refused`() async throws {
        try await makeQueue()
        try state.setMode(0o644, of: state.path + "/queue.json")
        #expect(
            danger { () throws(JournalError) in _ = try FileJournal(state.open().lock()).load() }
                == .openToOthers)
    }

    @Test func `two processes that wait for the lock do not keep each other from it`() throws {
        let directory = try TemporaryDirectory()
        let path = LocalPath(try directory.write([], to: "lock"))
        let looker = try OpenFile(path, for: .locking)
        let other = try OpenFile(path, for: .locking)
        #expect(try looker.tryLock(isShared: true))
        var wasFree: Bool?
        let isTaken = try StateLock.take(try OpenFile(path, for: .locking)) {
            guard wasFree == nil else { return }
            looker.unlock()
            wasFree = try? other.tryLock()
            other.unlock()
        }
        #expect(wasFree == true)
        #expect(isTaken)
    }

    @Test func `S13 the error of the second to lock names the first process`() throws {
        let first = try state.open().lock()
        let error = #expect(throws: JournalError.self) { try state.open().lock() }
        guard case .inUse(let pid, let since, let host) = error else {
            return #expect(Bool(false), "\(String(describing: error))")
        }
        #expect(pid == getpid())
        #expect(since != nil)
        #expect(host == nil)
        #expect(error?.exitStatus == 75)
        withExtendedLifetime(first) {}
    }

    @Test func `S13 a look at which process has the queue prevents no other from taking it`() async throws {
        try await makeQueue()
        let files = try state.open().files
        let isOver = Mutex(false)
        async let looks: Void = Task.detached {
            while !isOver.withLock({ $0 }) { _ = try StateLock.holder(in: files) }
        }.value
        defer { isOver.withLock { $0 = true } }
        for _ in 0..<200 { _ = try state.open().lock() }
        isOver.withLock { $0 = true }
        try await looks
    }

    @Test func `a folder that cannot be examined is not taken for a missing one`() throws {
        #expect(throws: JournalError.self) {
            try StateDirectory(reading: LocalPath("/" + String(repeating: "n", count: 300)))
        }
        #expect(try StateDirectory(reading: LocalPath("/nothing-is-here/state")) == nil)
    }

    @Test func `S14 a released lock can be taken, whatever its text says`() throws {
        _ = try state.open().lock()
        try state.put("{\"pid\":1,\"since\":\"nonsense\"", as: "lock")
        _ = try state.open().lock()
    }

    @Test func `a lock's text that makes no sense still means that the queue is in use`() throws {
        let first = try state.open().lock()
        try state.put("{\"pid\":99999999999999", as: "lock")
        #expect(throws: JournalError.inUse(pid: nil, since: nil, host: nil)) { try state.open().lock() }
        withExtendedLifetime(first) {}
    }
}
