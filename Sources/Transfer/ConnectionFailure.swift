import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import UploadProtocols

/// The answer's head, or its next piece, did not come in time.
struct AnswerTimedOut: Error {}

/// Puts what the HTTP client and the system throw into words, and into what they mean for a retry.
enum ConnectionFailure {
    static func translate(
        _ error: any Error, url: String, sent: ByteCount, hasAnswer: Bool, ranOnKeptConnection: Bool
    ) -> TransportError {
        let host = URL(string: url)?.host() ?? url
        func network(_ reason: TransportError.Reason, _ summary: String) -> TransportError {
            TransportError(reason, UploadFailure(.network, summary), bodySent: sent)
        }
        func permanent(_ summary: String, _ hint: String) -> TransportError {
            TransportError(.notConnected, UploadFailure(.permanent, summary, hint: hint), bodySent: sent)
        }
        let broken: TransportError.Reason = ranOnKeptConnection && !hasAnswer ? .staleConnection : .broken
        switch error {
        case let failure as UploadFailure:
            return TransportError(.source, failure, bodySent: sent)
        case is CancellationError, HTTPClientError.cancelled as HTTPClientError:
            return TransportError(.cancelled, UploadFailure(.network, "stopped"), bodySent: sent)
        case is ConnectionStalled:
            return network(.broken, "no byte got through to \(host) for a while")
        case is AnswerTimedOut:
            return network(.broken, "\(host) did not answer in time")
        case let error as HTTPClientError where isBadAddress(error):
            return permanent("the address \(url) cannot be used", "set the destination's url to an http or https address")
        case let error as HTTPClientError where error == .connectTimeout || error == .tlsHandshakeTimeout:
            return network(.notConnected, "no connection to \(host) within the time set")
        case let error as HTTPClientError where error == .remoteConnectionClosed:
            return network(broken, "\(host) closed the connection")
        case ChannelError.connectTimeout:
            return network(.notConnected, "no connection to \(host) within the time set")
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            return network(.notConnected, "the name \(host) was not found")
        case let error as NIOConnectionError:
            let first = error.connectionErrors.first.map { text(of: $0.error) } ?? "no address"
            return network(.notConnected, "no connection to \(host): \(first)")
        case let error as NIOSSLError:
            return TLSFailure.isHandshake(error)
                ? permanent("the certificate of \(host) is not accepted: \(error)", TLSFailure.hint)
                : network(broken, "the TLS connection to \(host) broke")
        case let error as NIOSSLExtraError:
            return permanent("the certificate of \(host) is not accepted: \(error)", TLSFailure.hint)
        case let error as IOError where isNotConnected(error.errnoCode):
            return network(.notConnected, "no connection to \(host): \(text(of: error))")
        case let error as IOError:
            return network(broken, "the connection to \(host) broke: \(text(of: error))")
        default:
            return network(broken, "the connection to \(host) broke: \(error)")
        }
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
