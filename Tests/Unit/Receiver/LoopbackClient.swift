import Foundation

/// A client on loopback that sends exactly the bytes of the test, and can close the connection at any byte.
final class LoopbackClient: Sendable {
    struct ExchangeOutcome: Sendable {
        var status: Int
        var fields: [String: String]
        var body: String

        subscript(field: String) -> String? { fields[field.lowercased()] }
    }

    enum Failure: Error {
        case system(String, CInt)
        case ended
    }

    private let descriptor: CInt

    /// Connects to the receiver.
    ///
    /// - Parameter source: The local address of the connection; nil for the default.
    init(port: Int, host: String = "127.0.0.1", from source: String? = nil) throws {
        #if os(Linux)
            let kind = CInt(SOCK_STREAM.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { throw Failure.system("socket", errno) }
        if let source {
            guard Self.call(bind, descriptor, source, 0) == 0 else { throw Failure.system("bind", errno) }
        }
        guard Self.call(connect, descriptor, host, port) == 0 else { throw Failure.system("connect", errno) }
    }

    private static func call(
        _ function: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt, _ descriptor: CInt, _ host: String,
        _ port: Int
    ) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        inet_pton(AF_INET, host, &address.sin_addr)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { close(descriptor) }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        let descriptor = descriptor
        #if os(Linux)
            let flags = CInt(MSG_NOSIGNAL)
        #else
            let flags: CInt = 0
        #endif
        try await Self.blocking {
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Foundation.send(descriptor, $0.baseAddress, $0.count, flags)
                }
                guard count > 0 else { throw Failure.system("send", errno) }
                sent += count
            }
        }
    }

    /// Reads a response. For `HEAD` (`hasBody` is false) and for interim responses it reads only the head.
    func receive(hasBody: Bool = true) async throws -> ExchangeOutcome {
        let descriptor = descriptor
        return try await Self.blocking {
            var head: [UInt8] = []
            while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                head += try Self.read(descriptor, 1)
            }
            var lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
            let status = Int(lines.removeFirst().split(separator: " ").dropFirst().first ?? "") ?? 0
            var fields: [String: String] = [:]
            for line in lines {
                guard let colon = line.firstIndex(of: ":") else { continue }
                fields[line[..<colon].lowercased()] = line[line.index(after: colon)...]
                    .trimmingCharacters(in: .whitespaces)
            }
            let length = hasBody && status >= 200 ? fields["content-length"].flatMap { Int($0) } ?? 0 : 0
            var body: [UInt8] = []
            while body.count < length { body += try Self.read(descriptor, length - body.count) }
            return ExchangeOutcome(
                status: status, fields: fields, body: String(decoding: body, as: UTF8.self))
        }
    }

    /// Returns true if the receiver has closed or reset the connection.
    func isClosedByPeer() async -> Bool {
        let descriptor = descriptor
        let byte = try? await Self.blocking { try Self.read(descriptor, 1) }
        return byte == nil
    }

    /// Closes the sending direction.
    func finishSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    private static func read(_ descriptor: CInt, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = recv(descriptor, &bytes, count, 0)
        guard result > 0 else { throw result == 0 ? Failure.ended : Failure.system("recv", errno) }
        return Array(bytes[..<result])
    }

    /// Runs a blocking call on a thread of its own. The threads of tasks are few, and the receiver needs them.
    private static func blocking<Result: Sendable>(
        _ work: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
        }
    }
}
