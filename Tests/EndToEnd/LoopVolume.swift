import FerryTestSupport
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An ext4 file system in a file, mounted below a temporary folder. A test can remove it like a medium.
struct LoopVolume: Sendable {
    struct NotPossible: Error {
        var what: String
    }

    static let need: String = "mounts a file system: needs root and mkfs.ext4"
    static var isPossible: Bool { Privilege.isRoot && Privilege.has("mkfs.ext4") && Privilege.has("mount") }

    private let directory: TemporaryDirectory
    /// The mount is shared: programs such as `ip netns exec` copy the mounts, and the unmount must reach their copies.
    /// Otherwise the volume would stay mounted there.
    private var shared: String { directory.path("shared") }
    var path: String { directory.path("shared/volume") }
    private var image: String { directory.path("image") }

    /// Makes a volume, mounts it, passes it to `body`, and removes it afterwards.
    static func with<Result>(_ body: (LoopVolume) async throws -> Result) async throws -> Result {
        let volume = try await LoopVolume()
        do {
            let result = try await body(volume)
            await volume.remove()
            return result
        } catch {
            await volume.remove()
            throw error
        }
    }

    private init() async throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: shared, withIntermediateDirectories: false)
        try await Self.run("mount", "--bind", shared, shared)
        try await Self.run("mount", "--make-shared", shared)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try await Self.run("truncate", "-s", "64M", image)
        try await Self.run("mkfs.ext4", "-q", image)
        try await mount()
    }

    func mount() async throws { try await Self.run("mount", "-o", "loop", image, path) }

    /// Detaches the mount, even if files on it are open.
    func unmount() async { _ = await ChildProcess.succeeds("umount", "-l", path) }

    private func remove() async {
        await unmount()
        _ = await ChildProcess.succeeds("umount", "-l", shared)
    }

    /// Writes everything to the file. Every later access fails with EIO, as with a disk that was pulled out.
    func breakDown() throws {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw NotPossible(what: "open") }
        defer { close(folder) }
        sync()
        // The ioctl EXT4_IOC_SHUTDOWN, without a flush of the log.
        var flag: UInt32 = 2
        guard ioctl(folder, 0x8004_587D, &flag) == 0 else { throw NotPossible(what: "shutdown") }
    }

    private static func run(_ words: String...) async throws {
        let bytes = words.map { Array($0.utf8) }
        let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        let process = try ChildProcess("/usr/bin/env", bytes, environment: environment)
        guard try await process.ending() == .exited(0) else {
            throw NotPossible(what: words.joined(separator: " ") + ": " + process.errors.text)
        }
    }
}
