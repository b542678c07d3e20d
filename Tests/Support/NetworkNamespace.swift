#if os(Linux)
    import Foundation
    import Glibc

    /// A network namespace with two interfaces that are connected with each other: near (10.97.0.1/24, up) and far
    /// (up). The test makes and removes it.
    package struct NetworkNamespace: Sendable {
        package struct Failure: Error {
            package var command: [String]
            package var output: String
        }

        package let name: String

        // The constant CLONE_NEWNET.
        private static let cloneNewNetwork: Int32 = 0x4000_0000

        /// True if this process can make a network namespace. In a container even root may not be allowed to.
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
                // Without this setting the kernel adds and removes link-local addresses by itself.
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

        /// The folder whose files replace those of /etc in `ip netns exec`.
        private var files: String { "/etc/netns/\(name)" }

        /// The words to put before a command so that it runs in the namespace.
        package var words: [String] { ["ip", "netns", "exec", name] }

        /// Brings the loopback interface of the namespace up, and makes programs in it ask a name server on 127.0.0.1.
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

        /// Runs nft(8) in the namespace and returns its output.
        @discardableResult
        package func nft(_ arguments: String...) throws -> String {
            try Self.run(["netns", "exec", name, "nft"] + arguments)
        }

        package func ip(_ arguments: String...) throws {
            try Self.run(["-n", name] + arguments)
        }

        /// Runs many commands of ip(8) in one process, which is fast.
        package func ipBatch(_ commands: [String]) throws {
            let directory = try TemporaryDirectory()
            let file = try directory.write(Array(commands.joined(separator: "\n").utf8), to: "batch")
            try Self.run(["-n", name, "-batch", file])
        }

        /// Runs `body` on a thread in the namespace. Only this thread enters the namespace. Sockets stay in the
        /// namespace in which they were opened.
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
            // Swift's module of the C library does not have setns(2).
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
