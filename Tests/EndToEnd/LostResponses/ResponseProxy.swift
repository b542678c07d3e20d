import FerryTestSupport
import Foundation
import Synchronization

/// A request that went through a `ResponseProxy` to the server.
struct ProxiedRequest: Sendable {
    var method: String
    var target: String
    var headers: [(name: String, value: String)]
    var bodyBytes: Int
    /// The status of the server's response; 0 if there was none.
    var status: Int

    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// A proxy that forwards whole requests and responses. A test can act between the server's response and its first byte
/// to the client.
final class ResponseProxy: Sendable {
    /// The proxy's action for a response.
    enum Action: Sendable {
        case deliver
        /// The connection is reset, and the response is lost.
        case lose
        /// `before` is called when the server has responded, and `after` when the response is sent.
        case around(before: @Sendable () -> Void, after: @Sendable () -> Void)
    }

    private final class Log: Sendable {
        let requests = Mutex<[ProxiedRequest]>([])
    }

    private let server: HostileServer
    private let log: Log

    /// Starts the proxy.
    ///
    /// - Parameters:
    ///   - port: The port of the server, on 127.0.0.1.
    ///   - action: Returns the action for a response. It is called on the thread of the response's connection.
    init(to port: Int, action: @escaping @Sendable (ProxiedRequest) -> Action) throws {
        let log = Log()
        self.log = log
        server = try HostileServer(remembers: false) { connection in
            // The proxy asks the server to close the connection after each response, so each connection has one
            // request.
            guard try connection.waitForRequest() else { return }
            let head = try connection.readHead()
            let length = head["Content-Length"].flatMap { Int($0) } ?? 0
            let body = try connection.readBytes(length)
            let answer = try Self.ask(UInt16(clamping: port), head, body)
            let request = ProxiedRequest(
                method: head.method, target: head.target, headers: head.headers, bodyBytes: length,
                status: Self.status(of: answer))
            log.requests.withLock { $0.append(request) }
            switch action(request) {
            case .deliver: try connection.write(answer)
            case .lose: connection.reset()
            case .around(let before, let after):
                before()
                try connection.write(answer)
                after()
            }
        }
    }

    var port: Int { Int(server.port) }

    /// The requests with a response, in order.
    var requests: [ProxiedRequest] { log.requests.withLock { $0 } }

    func stop() { server.stop() }

    private static func ask(_ port: UInt16, _ head: RecordedRequest, _ body: [UInt8]) throws -> [UInt8] {
        let upstream = try RawClient(port: port)
        var text = "\(head.method) \(head.target) HTTP/1.1\r\n"
        for (name, value) in head.headers where name.lowercased() != "connection" {
            text += "\(name): \(value)\r\n"
        }
        upstream.send(Array((text + "Connection: close\r\n\r\n").utf8) + body)
        return upstream.receiveBytes()
    }

    /// Returns the status of the last response. Interim responses (1xx) come before it.
    private static func status(of answer: [UInt8]) -> Int {
        var text = String(decoding: answer.prefix(65_536), as: UTF8.self)[...]
        while let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) {
            guard (100..<200).contains(status), let end = text.range(of: "\r\n\r\n") else { return status }
            text = text[end.upperBound...]
        }
        return 0
    }
}
