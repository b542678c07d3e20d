#if os(Linux)
    import Foundation
    import FerryTestSupport
    import Testing

    #if canImport(Glibc)
        import Glibc
    #endif

    /// A small file system that a test can fill.
    struct StateDisk: Sendable {
        let mount: String

        var state: String { mount + "/state" }
        private var filler: String { mount + "/filler" }

        /// Mounts a file system in memory.
        ///
        /// - Parameter options: The mount options, such as `size=3m`.
        static func with(_ options: String, _ body: @Sendable (StateDisk) async throws -> Void) async throws {
            let directory = try TemporaryDirectory()
            let words = ["mount", "-t", "tmpfs", "-o", options + ",mode=0700", "tmpfs", directory.path]
            try await with(directory.path, mounted: { await run(words) }, body)
        }

        /// Makes a file system with a quota of `quota` mebibytes on the folder.
        static func with(quota: Int, _ body: @Sendable (StateDisk) async throws -> Void) async throws {
            let directory = try TemporaryDirectory()
            let (image, mount) = (directory.path("image"), directory.path("mount"))
            try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: false)
            try await with(
                mount,
                mounted: {
                    for words in [
                        ["truncate", "-s", "256M", image], ["mkfs.btrfs", "-q", image],
                        ["mount", "-o", "loop", image, mount], ["chmod", "0700", mount],
                        ["btrfs", "quota", "enable", mount],
                        ["btrfs", "qgroup", "limit", "\(quota)M", mount],
                    ] {
                        guard await run(words) else { return false }
                    }
                    return true
                }, body)
        }

        private static func with(
            _ mount: String, mounted: () async -> Bool, _ body: (StateDisk) async throws -> Void
        ) async throws {
            let isMounted = await mounted()
            do {
                try #require(isMounted)
                try await body(StateDisk(mount: mount))
            } catch {
                // A program that has just ended may use the mount for another moment.
                _ = await run(["umount", "-l", mount])
                throw error
            }
            #expect(await run(["umount", "-l", mount]))
        }

        private static func run(_ words: [String]) async -> Bool {
            let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            let bytes = words.map { Array($0.utf8) }
            guard let process = try? ChildProcess("/usr/bin/env", bytes, environment: environment) else {
                return false
            }
            return (try? await process.ending()) == .exited(0)
        }

        /// Fills the disk completely.
        /// - Returns: The errno of the write that found no free byte.
        @discardableResult
        func fill() throws -> Int32 {
            let descriptor = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            try #require(descriptor >= 0)
            defer { close(descriptor) }
            var block = [UInt8](repeating: 1, count: 1 << 20)
            for index in block.indices { block[index] = UInt8.random(in: 0...255) }
            var size = block.count
            while size > 0 {
                let count = write(descriptor, block, size)
                if count < 0 {
                    size /= 2
                    if size == 0 { return errno }
                } else {
                    // The bytes are synced, so the free space does not change later.
                    fdatasync(descriptor)
                }
            }
            return 0
        }

        /// Frees the space at once.
        func free() async throws {
            try FileManager.default.removeItem(atPath: filler)
            #expect(await Self.run(["sync", "-f", mount]))
        }

        /// Uses up all free inodes.
        func takeInodes() throws {
            for number in 0..<10_000 {
                let descriptor = open(
                    mount + "/inode-\(number)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
                guard descriptor >= 0 else { return #expect(errno == ENOSPC) }
                close(descriptor)
            }
            Issue.record("there are too many inodes")
        }

        func freeInodes() throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: mount)
            for name in names where name.hasPrefix("inode-") {
                try FileManager.default.removeItem(atPath: mount + "/" + name)
            }
        }

        func content(_ name: String) -> Data? { FileManager.default.contents(atPath: state + "/" + name) }

        func inode(_ name: String) -> UInt64? {
            var status = stat()
            return stat(state + "/" + name, &status) == 0 ? UInt64(status.st_ino) : nil
        }

        var names: Set<String> {
            Set((try? FileManager.default.contentsOfDirectory(atPath: state)) ?? [])
        }

        /// Returns true if this process may mount file systems, which root in a container may not. It mounts nothing
        /// that stays.
        @Sendable static func isPossible() async -> Bool {
            guard Privilege.isRoot else { return false }
            return await run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"])
        }

        @Sendable static func hasQuota() async -> Bool {
            guard Privilege.isRoot, Privilege.has("mkfs.btrfs"), Privilege.has("btrfs") else { return false }
            return (try? await with(quota: 64) { _ in }) != nil
        }
    }
#endif
