import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import UploadProtocols

/// Puts what the HTTP client and the system throw into words, and into what they mean for a retry.
struct ConnectionFailure {
    let url: String
    let start: ResponseCollector.Start
    let hasAnswer: Bool
    let bodySent: ByteCount

    func translate(_ error: any Error) -> TransportError {
        switch error {
        case let failure as UploadFailure:
            return TransportError(.source, failure, bodySent: bodySent)
        case is CancellationError, HTTPClientError.cancelled as HTTPClientError:
            return TransportError(.cancelled, UploadFailure(.network, "stopped"), bodySent: bodySent)
        case is ConnectionStalled:
            return network(.broken, "no byte got through to \(host) for a while")
        case is AnswerTimedOut:
            return network(.broken, "\(host) did not answer in time")
        case let error as NotHTTP:
            return network(.broken, "\(host) does not answer by HTTP's rules: \(error.reason)")
        case let error as HTTPParserError:
            return network(.broken, "\(host) does not answer by HTTP's rules: \(error)")
        case let error as HTTPClientError:
            return translate(error)
        case ChannelError.connectTimeout:
            return network(.notConnected, "no connection to \(host) within the time set")
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            return network(.notConnected, "the name \(host) was not found")
        case let error as NIOConnectionError:
            let first = error.connectionErrors.first.map { Self.text(of: $0.error) } ?? "no address"
            return network(.notConnected, "no connection to \(host): \(first)")
        case let error as NIOSSLError:
            return TLSFailure.isHandshake(error) && start == .unsent
                ? permanent("the TLS connection to \(host) is not accepted: \(error)", TLSFailure.hint)
                : network(whenBroken, "the TLS connection to \(host) broke")
        case let error as NIOSSLExtraError:
            return permanent("the certificate of \(host) is not accepted: \(error)", TLSFailure.hint)
        case let error as IOError where Self.isNotConnected(error.errnoCode):
            return network(.notConnected, "no connection to \(host): \(Self.text(of: error))")
        case let error as IOError:
            return network(whenBroken, "the connection to \(host) broke: \(Self.text(of: error))")
        case ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelError.eof:
            return network(whenBroken, "\(host) closed the connection")
        default:
            return network(.broken, "the connection to \(host) broke: \(error)")
        }
    }

    private func translate(_ error: HTTPClientError) -> TransportError {
        switch error {
        case _ where Self.isBadAddress(error):
            return permanent(
                "the address \(url) cannot be used", "set the destination's url to an http or https address")
        case _ where "\(error)".contains("invalidHeaderField"):
            return permanent(
                "a header of the request cannot be sent",
                "check the destination's headers in the configuration")
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            return network(.notConnected, "no connection to \(host) within the time set")
        case .remoteConnectionClosed, .requestStreamCancelled:
            return network(whenBroken, "\(host) closed the connection")
        default:
            return network(.broken, "the connection to \(host) broke: \(error)")
        }
    }

    private var host: String { URL(string: url)?.host() ?? url }

    /// What a broken connection means: RFC 9112 §9.3.1 lets a server close a kept one at any time.
    private var whenBroken: TransportError.Reason {
        switch start {
        case .unsent: .unsent
        case .onKeptConnection: hasAnswer ? .broken : .staleConnection
        case .onFreshConnection: .broken
        }
    }

    private func network(_ reason: TransportError.Reason, _ summary: String) -> TransportError {
        TransportError(reason, UploadFailure(.network, summary), bodySent: bodySent)
    }

    private func permanent(_ summary: String, _ hint: String) -> TransportError {
        TransportError(.notConnected, UploadFailure(.permanent, summary, hint: hint), bodySent: bodySent)
    }

    private static func isBadAddress(_ error: HTTPClientError) -> Bool {
        [.invalidURL, .emptyHost, .emptyScheme].contains(error) || "\(error)".contains("unsupportedScheme")
    }

    private static func isNotConnected(_ code: CInt) -> Bool {
        [ECONNREFUSED, ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(code)
    }

    private static func text(of error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case ECONNREFUSED: "refused"
        case ECONNRESET: "reset by the other side"
        case EPIPE: "closed by the other side"
        case ENETUNREACH, ENETDOWN: "the network is unreachable"
        case EHOSTUNREACH: "the host is unreachable"
        case ETIMEDOUT: "timed out"
        default: String(cString: strerror(error.errnoCode)).lowercased()
        }
    }
}

/// Which TLS errors no retry can mend.
enum TLSFailure {
    static let hint = "if the server has a private authority, name its certificate as tls.authorities"

    static func isHandshake(_ error: NIOSSLError) -> Bool {
        if case .handshakeFailed = error { return true }
        if case .unableToValidateCertificate = error { return true }
        return false
    }
}
