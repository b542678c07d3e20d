import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A real server that a script of `Tests/Servers` starts on a free port of this machine.
final class InteropServer: Sendable {
    /// The Python with the packages of `Tests/Servers/requirements.txt`. `Tests/run` sets the variable.
    static let python = ProcessInfo.processInfo.environment["FERRY_TEST_PYTHON"]
    static let hasPython = python != nil
    static let needsPython: Comment =
        "needs the packages of Tests/Servers/requirements.txt; Tests/run installs them"

    private static let scripts = Repository.root.appending(path: "Tests/Servers")

    let port: Int
    private let process: ChildProcess

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - script: The name of a file in `Tests/Servers`.
    ///   - port: The port; 0 for any, which some scripts do not support.
    ///   - socket: The path of a Unix socket to listen on instead of a port.
    ///   - more: Further arguments of the script.
    init(
        _ script: String, port: Int = 0, socket: String? = nil, folder: String, more: [String] = []
    ) async throws {
        let file = Self.script(script)
        let interpreter =
            switch script.split(separator: ".").last {
            case "py": try #require(Self.python)
            case "mjs": try #require(OtherTusServer.node)
            default: "/bin/sh"
            }
        let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONDONTWRITEBYTECODE": "1"]
        process = try ChildProcess(
            interpreter,
            ([file, socket.map { "unix:\($0)" } ?? "\(port)", folder] + more).map { Array($0.utf8) },
            environment: environment)
        let lines = try await process.output.wait(upTo: .seconds(300)) { lines in
            lines.contains { $0.hasPrefix("ready ") }
        }
        self.port =
            socket == nil ? try #require(lines.compactMap { Int($0.dropFirst("ready ".count)) }.first) : 0
    }

    /// Returns the path of a file in `Tests/Servers`.
    static func script(_ name: String) -> String { scripts.appending(path: name).path(percentEncoded: false) }

    func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    func stop() async throws {
        process.signal(SIGTERM)
        try await process.ending()
    }

    func kill() async throws {
        process.signal(SIGKILL)
        try await process.ending()
    }

    /// Returns the size of the largest file directly in the folder; 0 if there is none.
    static func largestFile(in folder: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let sizes = names.compactMap { name in
            (try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)"))?[.size] as? Int
        }
        return sizes.max() ?? 0
    }

    /// Returns a free port, for servers that need one as an argument. Another process can take it meanwhile.
    static func freePort() throws -> Int {
        let probe = try HostileServer([])
        probe.stop()
        return Int(probe.port)
    }
}
