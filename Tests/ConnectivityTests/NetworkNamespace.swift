#if os(Linux)
    import Connectivity
    import Foundation
    import Glibc
    import Support
    import Testing

    /// A network namespace with a pair of interfaces, near (10.97.0.1/24, up) and far (up), made and removed by the test.
    struct NetworkNamespace {
        struct Failure: Error {
            var command: [String]
            var output: String
        }

        let name: String

        // CLONE_NEWNET
        private static let cloneNewNetwork: Int32 = 0x4000_0000

        /// Whether one could be made: a container may be root and still not be allowed to.
        static let isPossible: Bool = {
            guard geteuid() == 0, let namespace = try? make() else { return false }
            namespace.remove()
            return true
        }()

        static func with(_ body: (NetworkNamespace) async throws -> Void) async throws {
            let namespace = try make()
            defer { namespace.remove() }
            try await body(namespace)
        }

        static func make() throws -> NetworkNamespace {
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

        func remove() {
            try? Self.run(["netns", "del", name])
        }

        func ip(_ arguments: String...) throws {
            try Self.run(["-n", name] + arguments)
        }

        /// Runs many commands in one process, as fast as the kernel takes them.
        func ipBatch(_ commands: [String]) throws {
            let directory = try TemporaryDirectory()
            let file = try directory.write(Array(commands.joined(separator: "\n").utf8), to: "batch")
            try Self.run(["-n", name, "-batch", file])
        }

        /// What the monitor reports inside the namespace.
        func statuses() async throws -> StatusReader<AsyncStream<LinkStatus>> {
            StatusReader(try await inside { SystemLinkMonitor { Issue.record("\($0)") }.statuses() })
        }

        /// Runs `body` on a thread in the namespace. A thread enters a namespace for itself alone, and a socket stays
        /// where it was opened.
        func inside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
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

        private static func run(_ arguments: [String]) throws {
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
        }
    }

    /// Reads statuses one by one, each in bounded time.
    struct StatusReader<Statuses: AsyncSequence & Sendable>: Sendable
    where Statuses.Element: Sendable, Statuses.Failure == Never {
        struct TimedOut: Error {}

        private let stream: Statuses

        init(_ stream: Statuses) {
            self.stream = stream
        }

        /// The next status that meets `condition`; what comes before is passed over.
        mutating func next(
            where condition: @escaping @Sendable (Statuses.Element) -> Bool = { _ in true }
        ) async throws -> Statuses.Element? {
            let stream = stream
            return try await withThrowingTaskGroup(of: Statuses.Element?.self) { group in
                group.addTask {
                    for await status in stream where condition(status) { return status }
                    return nil
                }
                group.addTask {
                    try await Task.sleep(for: .seconds(15))
                    throw TimedOut()
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        }
    }
#endif
