#if os(Linux)
    import Foundation
    import Glibc

    /// A network namespace with a pair of interfaces, near (10.97.0.1/24, up) and far (up), made and removed by the
    /// test.
    package struct NetworkNamespace: Sendable {
        package struct Failure: Error {
            package var command: [String]
            package var output: String
        }

        package let name: String

        // CLONE_NEWNET
        private static let cloneNewNetwork: Int32 = 0x4000_0000

        /// Whether one could be made: a container may be root and still not be allowed to.
        package static let isPossible: Bool = {
            guard geteuid() == 0, let namespace = try? make() else { return false }
            namespace.remove()
            return true
        }()

        package static func with(_ body: (NetworkNamespace) async throws -> Void) async throws {
            let namespace = try make()
            defer { namespace.remove() }
            try await body(namespace)
        }

        package static func make() throws -> NetworkNamespace {
            let namespace = NetworkNamespace(name: "ferry-\(UUID().uuidString.prefix(8).lowercased())")
            try run(["netns", "add", namespace.name])
            do {
                try namespace.ip("link", "add", "near", "type", "veth", "peer", "name", "far")
                // Without it, link-local addresses come and go on their own.
                try namespace.ip("link", "set", "near", "addrgenmode", "none")
                try namespace.ip("link", "set", "far", "addrgenmode", "none")
                try namespace.ip("link", "set", "far", "up")
                try namespace.ip("link", "set", "near", "up")
                try namespace.ip("address", "add", "10.97.0.1/24", "dev", "near")
            } catch {
                namespace.remove()
                throw error
            }
            return namespace
        }

        package func remove() {
            _ = try? Self.run(["netns", "del", name])
            try? FileManager.default.removeItem(atPath: files)
        }

        /// The folder whose files `ip netns exec` uses instead of those of /etc.
        private var files: String { "/etc/netns/\(name)" }

        /// Words before a command that is to run in the namespace.
        package var words: [String] { ["ip", "netns", "exec", name] }

        /// Gives the namespace its own loopback interface, and has programs that are run in it ask 127.0.0.1 for names.
        package func useOwnNameServer() throws {
            try ip("link", "set", "lo", "up")
            try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: true)
            for (file, text) in [
                ("resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n"),
                ("nsswitch.conf", "hosts: files dns\n"),
            ] {
                try Data(text.utf8).write(to: URL(fileURLWithPath: "\(files)/\(file)"))
            }
        }

        /// Runs nft(8) in the namespace and returns what it printed.
        @discardableResult
        package func nft(_ arguments: String...) throws -> String {
            try Self.run(["netns", "exec", name, "nft"] + arguments)
        }

        package func ip(_ arguments: String...) throws {
            try Self.run(["-n", name] + arguments)
        }

        /// Runs many commands in one process, as fast as the kernel takes them.
        package func ipBatch(_ commands: [String]) throws {
            let directory = try TemporaryDirectory()
            let file = try directory.write(Array(commands.joined(separator: "\n").utf8), to: "batch")
            try Self.run(["-n", name, "-batch", file])
        }

        /// Runs `body` on a thread in the namespace. A thread enters a namespace for itself alone, and a socket stays
        /// where it was opened.
        package func inside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
            -> Value
        {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            try Self.enter(name)
                            return try body()
                        })
                }
            }
        }

        private static func enter(_ name: String) throws {
            let file = open("/run/netns/\(name)", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else {
                throw Failure(command: ["open"], output: String(cString: strerror(errno)))
            }
            defer { close(file) }
            // Swift's module of the C library leaves setns(2) out.
            guard let symbol = dlsym(nil, "setns") else {
                throw Failure(command: ["dlsym"], output: "no setns")
            }
            let setns = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
            guard setns(file, cloneNewNetwork) == 0 else {
                throw Failure(command: ["setns"], output: String(cString: strerror(errno)))
            }
        }

        @discardableResult
        private static func run(_ arguments: [String]) throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["ip"] + arguments
            process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let text = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw Failure(command: arguments, output: String(decoding: text, as: UTF8.self))
            }
            return String(decoding: text, as: UTF8.self)
        }
    }
#endif
