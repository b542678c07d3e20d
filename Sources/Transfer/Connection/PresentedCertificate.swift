import Crypto
import FerryProtocols
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// The description of a server's certificate that was not accepted: the names, the validity period, and the fingerprint
/// in the form of `openssl x509 -fingerprint -sha256`.
struct PresentedCertificate {
    private static let timeout = TimeAmount.seconds(5)

    let names: String
    let begin: Date
    let end: Date
    let fingerprint: String

    private init(_ certificate: NIOSSLCertificate) throws {
        // The library exposes the names only in its description:
        // `<NIOSSLCertificate;…;common_name=…;alternative_names=…>`.
        let text = "\(certificate)".dropLast()
        let parts = text.split(separator: ";").map { $0.split(separator: "=", maxSplits: 1) }
        let known = Dictionary(
            parts.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }, uniquingKeysWith: { first, _ in first }
        )
        let named = known["alternative_names"] ?? known["common_name"] ?? "nobody"
        names = ServerText.cleaned(String(named.prefix(120)))
        begin = Date(timeIntervalSince1970: Double(certificate.notValidBefore))
        end = Date(timeIntervalSince1970: Double(certificate.notValidAfter))
        fingerprint = SHA256.hash(data: try certificate.toDERBytes())
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    /// Reads the server's certificate for the description of a failure. Opens a TLS connection without verification,
    /// and sends only the handshake.
    ///
    /// - Returns: nil if no certificate arrives within five seconds.
    static func read(host: String, port: Int, on loop: any EventLoop) async -> PresentedCertificate? {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        guard let context = try? NIOSSLContext(configuration: configuration) else { return nil }
        let shown = loop.makePromise(of: NIOSSLCertificate.self)
        let connected = ClientBootstrap(group: loop).connectTimeout(timeout).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
                // An IP address is not allowed as a server name (RFC 6066 §3).
                let name = (try? SocketAddress(ipAddress: host, port: port)) == nil ? host : nil
                try channel.pipeline.syncOperations.addHandlers(
                    NIOSSLClientHandler(context: context, serverHostname: name), CertificateReader(shown))
            }
        }.connect(host: host, port: port)
        connected.whenFailure { shown.fail($0) }
        let limit = loop.scheduleTask(in: timeout) { shown.fail(ChannelError.connectTimeout(timeout)) }
        let certificate = try? await shown.futureResult.get()
        limit.cancel()
        (try? await connected.get())?.close(promise: nil)
        return certificate.flatMap { try? PresentedCertificate($0) }
    }

    func isOutOfTime(at now: Date) -> Bool { now > end || now < begin }

    /// Returns `failure` with the certificate's names, validity period and fingerprint in its summary.
    func described(in failure: UploadFailure, now: Date) -> UploadFailure {
        var failure = failure
        let day = Date.ISO8601FormatStyle().year().month().day()
        failure.summary +=
            "; it shows a certificate for \(names), valid from \(begin.formatted(day)) to \(end.formatted(day)), "
            + "SHA-256 \(fingerprint)"
        if now > end {
            failure.hint = "the certificate is over; the server's administrator must renew it"
        } else if now < begin {
            failure.hint = "the certificate is not valid yet; see that this machine's clock is right"
        }
        return failure
    }
}

private final class CertificateReader: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let shown: EventLoopPromise<NIOSSLCertificate>

    init(_ shown: EventLoopPromise<NIOSSLCertificate>) { self.shown = shown }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent else { return }
        let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
        if let certificate = handler?.peerCertificate {
            shown.succeed(certificate)
        } else {
            shown.fail(NIOSSLError.noCertificateToValidate)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { shown.fail(error) }
    func channelInactive(context: ChannelHandlerContext) { shown.fail(ChannelError.eof) }
}
