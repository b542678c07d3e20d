import FerryTestSupport
import Foundation

/// A real proxy program on a free port of 127.0.0.1.
final class ProxyProgram: Sendable {
    struct NotStarted: Error {}

    let port: Int
    private let identifier: pid_t
    private let directory: TemporaryDirectory

    static var hasTinyproxy: Bool { TLSServer.program("tinyproxy") != nil }
    static var hasMicrosocks: Bool { TLSServer.program("microsocks") != nil }

    /// Starts an HTTP proxy with the user `me` and the password `geheim`. It allows tunnels to any port.
    static func tinyproxy() async throws -> ProxyProgram {
        try await start("tinyproxy") { port, directory in
            let configuration = """
                Port \(port)
                Listen 127.0.0.1
                Timeout 60
                Allow 127.0.0.1
                LogFile "\(directory.path("log"))"
                BasicAuth me geheim

                """
            try directory.write(Array(configuration.utf8), to: "tinyproxy.conf")
            return ["-d", "-c", directory.path("tinyproxy.conf")]
        }
    }

    /// Starts a SOCKS 5 proxy.
    /// - Parameter wantsUser: True if it wants a user name and a password.
    static func microsocks(wantsUser: Bool = false) async throws -> ProxyProgram {
        try await start("microsocks") { port, _ in
            ["-i", "127.0.0.1", "-p", "\(port)"] + (wantsUser ? ["-u", "me", "-P", "geheim"] : [])
        }
    }

    private static func start(
        _ program: String, arguments: @escaping @Sendable (Int, TemporaryDirectory) throws -> [String]
    ) async throws -> ProxyProgram {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try ProxyProgram(program, arguments) })
            }
        }
    }

    private init(_ program: String, _ arguments: (Int, TemporaryDirectory) throws -> [String]) throws {
        directory = try TemporaryDirectory()
        let probe = try HostileServer([])
        probe.stop()
        port = Int(probe.port)
        let process = Process()
        process.executableURL = TLSServer.program(program)
        process.arguments = try arguments(port, directory)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        identifier = process.processIdentifier
        // The programs do not report when they listen.
        for _ in 0..<1000 {
            if (try? RawClient(port: probe.port)) != nil { return }
            guard process.isRunning else { break }
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw NotStarted()
    }

    deinit { kill(identifier, SIGKILL) }
}
