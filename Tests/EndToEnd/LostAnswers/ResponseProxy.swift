import FerryTestSupport
import Foundation
import Synchronization

/// One request that went through a `ResponseProxy`, and got a response from the server behind it.
struct ProxiedRequest: Sendable {
    var method: String
    var target: String
    var headers: [(name: String, value: String)]
    var bodyBytes: Int
    /// The server's status; 0 if it sent none.
    var status: Int

    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// A proxy that passes on whole requests and responses. A test can act after the server has responded and before the
/// client has a byte of the response.
final class ResponseProxy: Sendable {
    /// The fate of a response.
    enum Action: Sendable {
        case deliver
        /// The connection breaks instead.
        case lose
        /// `before` is called once the server has responded, `after` when the response is in flight.
        case around(before: @Sendable () -> Void, after: @Sendable () -> Void)
    }

    private final class Log: Sendable {
        let requests = Mutex<[ProxiedRequest]>([])
    }

    private let server: HostileServer
    private let log: Log

    /// - Parameters:
    ///   - port: The server's, on 127.0.0.1.
    ///   - action: Asked for every response, on the thread of its connection.
    init(to port: Int, action: @escaping @Sendable (ProxiedRequest) -> Action) throws {
        let log = Log()
        self.log = log
        server = try HostileServer(remembers: false) { connection in
            // The server is asked to close after each response, which says so: one request a connection.
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

    /// Returns the status of the last response. Interim ones (1xx) come before it.
    private static func status(of answer: [UInt8]) -> Int {
        var text = String(decoding: answer.prefix(65_536), as: UTF8.self)[...]
        while let status = text.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) {
            guard (100..<200).contains(status), let end = text.range(of: "\r\n\r\n") else { return status }
            text = text[end.upperBound...]
        }
        return 0
    }
}
