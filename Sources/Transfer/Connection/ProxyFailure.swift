import AsyncHTTPClient
import FerryProtocols
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSOCKS
import NIOSSL

extension ConnectionFailure {
    /// Translates an error on the connection to the proxy, or one that the proxy reports; nil for any other.
    func translate(_ error: any Error, of proxy: ProxyAddress) -> TransportError? {
        switch error {
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            return proxyFailed(.notConnected, "the name of the proxy \(proxy) was not found")
        case let error as NIOConnectionError:
            let first = error.connectionErrors.first.map { Self.text(of: $0.error) } ?? "no address"
            return proxyFailed(.notConnected, "no connection to the proxy \(proxy): \(first)")
        case HTTPClientError.proxyAuthenticationRequired as HTTPClientError:
            return ProxyFailure.wantsCredentials(proxy)
        case HTTPClientError.invalidProxyResponse as HTTPClientError:
            // The HTTP client hides the status of the proxy's response, so the message names both possible causes. The
            // category `server` allows a retry, because a refusal can be temporary.
            return TransportError(
                .notConnected,
                UploadFailure(
                    .server, "the proxy \(proxy) does not let us through to \(host), or cannot reach it",
                    hint: "ask its administrator whether it allows tunnels (CONNECT) to that port"
                        + (proxy.user == nil ? "" : ", and check the user and password in proxy")))
        case HTTPClientError.httpProxyHandshakeTimeout as HTTPClientError,
            HTTPClientError.socksHandshakeTimeout as HTTPClientError,
            HTTPClientError.connectTimeout as HTTPClientError, ChannelError.connectTimeout:
            return proxyFailed(.notConnected, "no answer from the proxy \(proxy) within the time set")
        case let error as IOError where Self.isNotConnected(error.code):
            return proxyFailed(.notConnected, "no connection to the proxy \(proxy): \(Self.text(of: error))")
        case let error as SOCKSError.ConnectionFailed:
            return ProxyFailure.refusal(by: proxy, of: host, error.reply)
        case is SOCKSError.NoValidAuthenticationMethod, is SOCKSError.InvalidAuthenticationSelection:
            return TransportError(
                .notConnected,
                UploadFailure(
                    .authentication, "the proxy \(proxy) wants a user name, which is not supported for SOCKS",
                    hint: "use an HTTP proxy, or let the proxy take this machine without one"))
        case is HTTPParserError where start == .unsent, is SOCKSError.InvalidProtocolVersion,
            is SOCKSError.InvalidReservedByte, is SOCKSError.InvalidAddressType, is SOCKSError.UnexpectedRead,
            is SOCKSError.InvalidServerState, is SOCKSError.InvalidClientState:
            return proxyFailed(.notConnected, "\(proxy) does not answer as a proxy of this kind does")
        case HTTPClientError.remoteConnectionClosed as HTTPClientError where start == .unsent:
            return proxyFailed(whenBroken, "the proxy \(proxy) closed the connection")
        case let error as IOError where start == .unsent:
            return proxyFailed(
                whenBroken, "the connection to the proxy \(proxy) broke: \(Self.text(of: error))")
        // The HTTP client's private error for a handshake that the other side closed; only its description is visible.
        case _ where start == .unsent && "\(error)" == "NoResult()":
            return proxyFailed(whenBroken, "the proxy \(proxy) closed the connection")
        default: return nil
        }
    }

    private func proxyFailed(_ reason: TransportError.Reason, _ summary: String) -> TransportError {
        network(reason, summary, .proxy, hint: ProxyFailure.hint)
    }
}

enum ProxyFailure {
    static let hint = "check the setting proxy, or the environment's http_proxy, https_proxy and all_proxy"

    static func wantsCredentials(_ proxy: ProxyAddress) -> TransportError {
        let what = proxy.user == nil ? "wants a user and a password" : "does not accept our user and password"
        return TransportError(
            .notConnected,
            UploadFailure(
                .authentication, "the proxy \(proxy) \(what)",
                hint: "set them with proxy, then retry", status: 407))
    }

    /// Returns the failure for a SOCKS proxy's refusal of a connection (RFC 1928 §6).
    static func refusal(
        by proxy: ProxyAddress, of host: String, _ reply: SOCKSServerReply
    ) -> TransportError {
        switch reply {
        case .notAllowed:
            TransportError(
                .notConnected,
                UploadFailure(
                    .server, "the proxy \(proxy) does not allow a connection to \(host)",
                    hint: "ask its administrator, or except the host from proxy"))
        case .refused: unreachable(proxy, host, "refused", .refused)
        case .networkUnreachable: unreachable(proxy, host, "the network is unreachable", .unreachable)
        case .hostUnreachable: unreachable(proxy, host, "the host is unreachable", .unreachable)
        case .ttlExpired: unreachable(proxy, host, "timed out", .noResponse)
        default: unreachable(proxy, host, "the proxy answered with the code \(reply.value)", .proxy)
        }
    }

    private static func unreachable(
        _ proxy: ProxyAddress, _ host: String, _ reason: String, _ detail: UploadFailure.Detail
    ) -> TransportError {
        TransportError(
            .notConnected,
            UploadFailure(
                .network, "no connection to \(host) through the proxy \(proxy): \(reason)", detail: detail))
    }
}

extension Route {
    func refusal(_ response: TransportResponse) -> TransportError? {
        guard let proxy, isForwarded, response.status == 407 else { return nil }
        return ProxyFailure.wantsCredentials(proxy)
    }
}
