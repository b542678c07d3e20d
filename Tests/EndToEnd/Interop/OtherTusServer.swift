import Foundation
import Testing

/// The tus servers that neither Debian nor Python has as packages. The tests run if the environment names them.
enum OtherTusServer: String, CaseIterable, Sendable {
    /// The server tusd. `FERRY_TEST_TUSD` is the path of the program.
    case tusd
    /// The server @tus/server. `FERRY_TEST_TUS_NODE` is the folder `node_modules` with it and @tus/file-store, and
    /// `FERRY_TEST_NODE` is the path of Node.
    case tusNode

    private static let environment = ProcessInfo.processInfo.environment

    /// The path of Node, which runs JavaScript.
    static let node = environment["FERRY_TEST_NODE"]

    /// The servers that this machine has.
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

    /// The path of uploads in the server's URL.
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
