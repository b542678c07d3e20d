import AsyncHTTPClient
import FerryProtocols
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Translates the errors of the HTTP client and the system into failures for users and reasons.
struct ConnectionFailure {
    let url: String
    let start: ResponseCollector.Start
    let hasResponse: Bool
    let bodySent: ByteCount
    var proxy: ProxyAddress?

    func translate(_ error: any Error) -> TransportError {
        if let lack = lackOfDescriptors(error) {
            return TransportError(
                start == .unsent ? .notConnected : whenBroken, .noDescriptor(lack, for: host),
                bodySent: bodySent)
        }
        if let proxy, let translated = translate(error, of: proxy) { return translated }
        switch error {
        case let failure as UploadFailure: return TransportError(.source, failure, bodySent: bodySent)
        case is CancellationError, HTTPClientError.cancelled as HTTPClientError:
            return TransportError(.cancelled, UploadFailure(.network, "stopped"), bodySent: bodySent)
        case is ConnectionStalled: return timedOut(.broken, "no byte got through to \(host) for a while")
        case is ConnectionDied:
            return network(.broken, "the connection to \(host) died, new ones are accepted")
        case is ConnectionAddressLost:
            return TransportError(
                whenBroken,
                UploadFailure(.addressLost, "this machine lost the address that it had reached \(host) from"),
                bodySent: bodySent)
        case is ResponseTimedOut: return timedOut(.broken, "\(host) did not answer in time")
        case let error as NotHTTP:
            return network(.broken, "\(host) does not answer by HTTP's rules: \(error.reason)", .notHTTP)
        case let error as HTTPParserError:
            return network(.broken, "\(host) does not answer by HTTP's rules: \(error)", .notHTTP)
        case let error as HTTPClientError: return translate(error)
        case ChannelError.connectTimeout:
            return timedOut(.notConnected, "no connection to \(host) within the time set")
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            return network(.notConnected, "the name \(host) was not found", .nameNotFound)
        case let error as NIOConnectionError:
            let first = error.connectionErrors.first?.error
            return network(
                .notConnected, "no connection to \(host): \(first.map(Self.text) ?? "no address")",
                first.flatMap(Self.detail))
        case let error as PinMismatch:
            return permanent(
                "the certificate of \(host) has another key than those pinned: \(error.seen)",
                "if the server's key was changed on purpose, add this pin to tls.pins; if not, someone intercepts the connection"
            )
        case let error as NIOSSLError where start == .unsent && TLSFailure.isEndOfConnection(error):
            return network(.notConnected, "\(host) closed the connection during the TLS handshake", .closed)
        case let error as NIOSSLError:
            return TLSFailure.isHandshake(error) && start == .unsent
                ? permanent(
                    "the TLS connection to \(host) is not accepted: \(TLSFailure.reason(of: error))",
                    TLSFailure.hint(for: error),
                    TLSFailure.isAboutTheirCertificate(error) ? .notTrusted : .notConnected)
                : network(whenBroken, "the TLS connection to \(host) broke")
        case let error as BoringSSLError where TLSFailure.isAboutOurCertificate(error):
            return permanent(
                "\(host) does not accept us: \(TLSFailure.reason(of: error))", TLSFailure.hint(for: error))
        case is BoringSSLError:
            return network(whenBroken, "the TLS connection to \(host) broke: \(TLSFailure.reason(of: error))")
        case let error as NIOSSLExtraError:
            return permanent(
                "the certificate of \(host) is not accepted: \(error)", TLSFailure.hint(for: error),
                .notTrusted)
        case let error as IOError where error.code == .permissionDenied && UploadAddress.isUnixSocket(url):
            return permanent(
                "no connection to \(host): permission denied", "see that this user may write to the socket")
        case let error as IOError where Self.isNotConnected(error.code):
            return network(
                .notConnected, "no connection to \(host): \(Self.text(of: error))", Self.detail(of: error))
        case let error as IOError:
            return network(
                whenBroken, "the connection to \(host) broke: \(Self.text(of: error))", Self.detail(of: error)
            )
        case ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelError.eof:
            return network(whenBroken, "\(host) closed the connection", .closed)
        default: return network(.broken, "the connection to \(host) broke: \(error)")
        }
    }

    /// Returns the errno if no descriptor was free for a socket, name resolution or certificate files; otherwise nil.
    private func lackOfDescriptors(_ error: any Error) -> Errno? {
        switch error {
        case let error as IOError: return DescriptorLimit.isLack(error.code) ? error.code : nil
        case let error as NIOConnectionError where error.connectionErrors.isEmpty:
            return DescriptorLimit.isReached ? .tooManyOpenFiles : nil
        case let error as NIOConnectionError:
            return error.connectionErrors.lazy.compactMap { lackOfDescriptors($0.error) }.first
        // TLS reads the trusted certificates from files.
        case is NIOSSLError where start == .unsent: return DescriptorLimit.isReached ? .tooManyOpenFiles : nil
        default: return nil
        }
    }

    private func translate(_ error: HTTPClientError) -> TransportError {
        switch error {
        case .invalidURL, .emptyHost, .emptyScheme,
            _ where "\(error)".contains("unsupportedScheme"):
            return permanent(
                "the address \(Redaction.address(url)) cannot be used",
                "set the destination's url to \(UploadAddress.anyAddress)")
        case _ where "\(error)".contains("invalidHeaderField"):
            return permanent("a header of the request cannot be sent", "check the destination's headers")
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            return timedOut(.notConnected, "no connection to \(host) within the time set")
        case .remoteConnectionClosed, .requestStreamCancelled:
            return network(whenBroken, "\(host) closed the connection", .closed)
        default: return network(.broken, "the connection to \(host) broke: \(error)")
        }
    }

    var host: String { URL(string: url)?.host(percentEncoded: false) ?? Redaction.address(url) }

    /// The reason to report for a broken connection. For a reused connection without a response's head it is
    /// `staleConnection`: the server is allowed to close an idle connection (RFC 9112 §9.3.1).
    var whenBroken: TransportError.Reason {
        switch start {
        case .unsent: .unsent
        case .onKeptConnection: hasResponse ? .broken : .staleConnection
        case .onFreshConnection: .broken
        }
    }

    func network(
        _ reason: TransportError.Reason, _ summary: String, _ detail: UploadFailure.Detail? = nil,
        hint: String? = nil
    ) -> TransportError {
        TransportError(
            reason, UploadFailure(.network, summary, hint: hint, detail: detail), bodySent: bodySent)
    }

    private func timedOut(_ reason: TransportError.Reason, _ summary: String) -> TransportError {
        TransportError(reason, UploadFailure(.timedOut, summary, detail: .noResponse), bodySent: bodySent)
    }

    private func permanent(
        _ summary: String, _ hint: String, _ reason: TransportError.Reason = .notConnected
    ) -> TransportError {
        TransportError(reason, UploadFailure(.permanent, summary, hint: hint), bodySent: bodySent)
    }

    static func isNotConnected(_ code: Errno) -> Bool {
        [
            .connectionRefused, .networkUnreachable, .noRouteToHost, .networkDown, .addressNotAvailable,
            .noSuchFileOrDirectory,
        ].contains(code)
    }

    static func text(of error: any Error) -> String {
        (error as? IOError).map { meaning(of: $0.code).text } ?? "\(error)"
    }

    private static func detail(of error: any Error) -> UploadFailure.Detail? {
        (error as? IOError).flatMap { meaning(of: $0.code).detail }
    }

    private static func meaning(of code: Errno) -> (text: String, detail: UploadFailure.Detail?) {
        switch code {
        case .connectionRefused: ("refused", .refused)
        case .connectionReset: ("reset by the server", .reset)
        case .brokenPipe: ("closed by the server", .closed)
        case .networkUnreachable, .networkDown: ("the network is unreachable", .unreachable)
        case .noRouteToHost: ("the host is unreachable", .unreachable)
        case .timedOut: ("timed out", .noResponse)
        case .noSuchFileOrDirectory: ("nothing listens there", nil)
        default: (code.phrase, nil)
        }
    }
}

extension IOError {
    var code: Errno { Errno(rawValue: errnoCode) }
}
