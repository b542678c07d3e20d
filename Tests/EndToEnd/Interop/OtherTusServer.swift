import Foundation
import Testing

/// A tus server that no package of Debian or of Python has. The tests run with those that the environment names.
enum OtherTusServer: String, CaseIterable, Sendable {
    /// tusd: `FERRY_TEST_TUSD` is the program.
    case tusd
    /// @tus/server: `FERRY_TEST_TUS_NODE` is the folder `node_modules` that has it and @tus/file-store, and
    /// `FERRY_TEST_NODE` is Node.
    case tusNode

    private static let environment = ProcessInfo.processInfo.environment

    /// The program that runs a script in JavaScript.
    static let node = environment["FERRY_TEST_NODE"]

    /// The servers of this machine.
    static let present = allCases.filter { $0.source != nil }
    static let hasAny = !present.isEmpty
    static let hasTusd = present.contains(.tusd)
    static let needsTusd: Comment = "needs tusd and a proxy; Tests/README.md says how to name tusd"
    static let needsOne = "needs tusd or @tus/server; Tests/README.md says how to name them"

    private var source: String? {
        switch self {
        case .tusd: Self.environment["FERRY_TEST_TUSD"]
        case .tusNode: Self.node.flatMap { _ in Self.environment["FERRY_TEST_TUS_NODE"] }
        }
    }

    /// The path of the uploads in the server's address.
    var path: String {
        switch self {
        case .tusd: "/files/"
        case .tusNode: "/files"
        }
    }

    /// - Parameter options: The options of tusd, in place of the script's own.
    func start(in folder: String, port: Int? = nil, options: [String] = []) async throws -> InteropServer {
        let script =
            switch self {
            case .tusd: "tusd.sh"
            case .tusNode: "tus_node_server.mjs"
            }
        return try await InteropServer(
            script, port: port ?? InteropServer.freePort(), folder: folder,
            more: [source ?? ""] + options)
    }
}
