import FerryProtocols
import HTTPTypes
import Synchronization

/// Signs each attempt at a request to an S3 server, in the form in which it is sent. Corrects a wrong clock, a wrong
/// region or expired credentials after a refusal, and signs again.
///
/// One interceptor serves one destination. All later signatures use the clock or region that a refusal has shown.
public final class S3Interceptor: RequestInterceptor, ErrorRecoverer {
    private struct State {
        var region: String
        /// The number of seconds by which the server's clock is ahead of this machine's clock.
        var offset: TimeInterval = 0
        var signer = SigV4Signer()
    }

    /// The maximum number of retries: for the clock, the region and the credentials.
    private static let retryLimit = 3
    /// The largest clock difference in seconds that is not corrected. S3 tolerates 15 minutes.
    private static let tolerance: TimeInterval = 60

    private let origin: String?
    private let payload: S3PayloadForm
    private let credentials: S3CredentialStore
    private let now: @Sendable () -> Date
    private let state: Mutex<State>

    /// - Parameters:
    ///   - url: The URL of the destination. Requests to another origin fail.
    ///   - region: The first region to try.
    public init(
        for url: String, region: String = "us-east-1", payload: S3PayloadForm = .auto,
        credentials: S3CredentialStore, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        origin = URL(string: url).flatMap(UploadAddress.origin)
        self.payload = payload
        self.credentials = credentials
        self.now = now
        state = Mutex(State(region: region))
    }

    /// The region in signatures: the configured one, or the one that the server named.
    public var region: String { state.withLock { $0.region } }

    /// Signs the request, and wraps its body in the `aws-chunked` encoding if the payload form requires that.
    /// - Throws: `UploadFailure` without credentials, for another server, or if the body cannot be read.
    public func adapt(
        _ request: TransportRequest, for context: RequestContext
    ) async throws -> TransportRequest {
        guard let requestOrigin = URL(string: request.url).flatMap(UploadAddress.origin),
            requestOrigin == origin
        else {
            throw UploadFailure(
                .permanent, "a request to another server than the destination's is not signed",
                hint: "check the destination's url and endpoint")
        }
        let credentials = try await credentials.current()
        var request = request
        let payload = try await S3Payload(of: &request, as: payload)
        request.fields[.amzSecurityToken] = credentials.sessionToken
        let signature = state.withLock { state in
            let scope = SigV4Scope(now().addingTimeInterval(state.offset), region: state.region)
            return Self.sign(&request, with: credentials, in: scope, state.signer)
        }
        state.withLock { $0.signer = signature.signer }
        payload.apply(signature.chunks, to: &request)
        return request
    }

    /// Returns true for a refusal that `retry` can correct or explain to the user.
    public func canRecover(_ response: TransportResponse) -> Bool {
        guard let refusal = S3Refusal(response, now: now()) else { return false }
        return refusal != .notImplemented || payload == .streaming
    }

    /// Retries with the server's time, the region that it named, or other credentials. If that would change nothing,
    /// ends the request with a failure that explains the refusal, if there is one.
    public func retry(
        _ request: TransportRequest, after failure: RequestFailure, for context: RequestContext
    ) async -> RetryDecision {
        guard case .rejected(let response, _) = failure, let refusal = S3Refusal(response, now: now()),
            let signed = SignedWith(request)
        else { return .doNotRetry }
        let mayRetry = context.retries.response + context.retries.authentication < Self.retryLimit
        switch refusal {
        case .clock(let date):
            guard mayRetry, abs(date.timeIntervalSince(signed.date)) > Self.tolerance else {
                return .doNotRetry
            }
            state.withLock { $0.offset = date.timeIntervalSince(now()) }
            return .retry
        case .region(let region, let isElsewhere):
            if mayRetry, region != signed.region {
                state.withLock { $0.region = region }
                return .retry
            }
            return isElsewhere ? .fail(Self.elsewhere(region)) : .doNotRetry
        case .expired, .keys: return await renew(signed, for: request, refusal, mayRetry, context)
        case .notImplemented:
            guard request.fields[.amzContentHash]?.hasPrefix("STREAMING-") ?? false else {
                return .doNotRetry
            }
            return .fail(
                UploadFailure(
                    .permanent, "the server does not know bodies with checksums behind them (aws-chunked)",
                    hint: "set the destination's s3 payload to auto, then retry", status: response.status))
        }
    }

    private func renew(
        _ signed: SignedWith, for request: TransportRequest, _ refusal: S3Refusal, _ mayRetry: Bool,
        _ context: RequestContext
    ) async -> RetryDecision {
        do throws(UploadFailure) {
            let current = try await credentials.current()
            var again = request
            let scope = SigV4Scope(signed.date, region: signed.region)
            _ = Self.sign(&again, with: current, in: scope, SigV4Signer())
            let isCurrent =
                again.fields[.authorization] == request.fields[.authorization]
                && current.sessionToken == request.fields[.amzSecurityToken]
            guard mayRetry else { return .fail(refusal.failure(current)) }
            // The refusal of another upload may already have led to new credentials.
            guard isCurrent else { return .retry }
            let start = ContinuousClock.now
            guard try await credentials.replacement(for: current) != nil else {
                return .fail(refusal.failure(current))
            }
            context.report(.refreshed(after: ContinuousClock.now - start))
            return .retry
        } catch {
            return .fail(error)
        }
    }

    private static func elsewhere(_ region: String) -> UploadFailure {
        UploadFailure(
            .permanent, "the bucket is in the region \(region), which this address does not serve",
            hint: "set the destination's s3 region to \(region) and its url or endpoint to that region's")
    }
}

private struct SignedWith {
    var date: Date
    var region: String

    init?(_ request: TransportRequest) {
        let style = Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted, timeZone: .gmt)
        guard let time = request.fields[.amzDate], let date = try? style.parse(time),
            let scope = request.fields[.authorization]?.split(separator: ",").first?.split(separator: "/"),
            scope.count >= 5
        else { return nil }
        self.date = date
        // The access key before the region can contain slashes, so the parts are counted from the end.
        region = String(scope[scope.count - 3])
    }
}

extension S3Interceptor {
    fileprivate struct Signed {
        var chunks: SigV4ChunkSigner
        var signer: SigV4Signer
    }

    /// The names of the signed header fields, in addition to `Host` and all names that begin with `x-amz-`.
    private static let signedNames = ["content-encoding", "content-md5", "content-type", "range"]

    fileprivate static func sign(
        _ request: inout TransportRequest, with credentials: S3Credentials, in scope: SigV4Scope,
        _ signer: SigV4Signer
    ) -> Signed {
        var signer = signer
        request.fields[.amzDate] = scope.time
        request.fields[.authorization] = nil
        let address = AddressParts(request.url)
        var fields = [(name: "host", value: address.host)]
        for field in request.fields {
            let name = field.name.canonicalName
            guard name.hasPrefix("x-amz-") || signedNames.contains(name) else { continue }
            fields.append((name, field.value))
        }
        let plain = SigV4Request(
            method: request.method.rawValue, path: address.path, query: address.query, fields: fields,
            payload: request.fields[.amzContentHash] ?? "")
        let signature = signer.sign(plain, with: credentials, in: scope)
        request.url = address.origin + plain.sentPath + (plain.sentQuery.map { "?\($0)" } ?? "")
        request.fields[.authorization] = signature.authorization(credentials.accessKey, scope)
        return Signed(chunks: signature.chunks, signer: signer)
    }
}

/// The origin, path and query of an absolute URL, byte by byte.
private struct AddressParts {
    var origin: String
    var path: String
    var query: String?
    private var url: String

    init(_ url: String) {
        self.url = url
        let parts = UploadAddress.parts(of: url)
        origin = String(parts.server)
        path = String(parts.path)
        query = parts.query.isEmpty ? nil : String(Substring(parts.query.utf8.dropFirst()))
    }

    /// The value of `Host` as the transport sends it (RFC 9112 §3.2).
    var host: String {
        guard !UploadAddress.isUnixSocket(url), let parts = URL(string: url), let name = parts.host() else {
            return UploadAddress.socketHost
        }
        let shown = name.contains(":") && !name.hasPrefix("[") ? "[\(name)]" : name
        let usual = parts.scheme?.lowercased() == "https" ? 443 : 80
        return parts.port.map { $0 == usual ? shown : "\(shown):\($0)" } ?? shown
    }
}

extension S3Refusal {
    /// Returns the failure for `credentials` that the server has refused for good.
    fileprivate func failure(_ credentials: S3Credentials) -> UploadFailure {
        switch self {
        case .keys(.unknown):
            UploadFailure(
                .authentication, "the server does not know the access key from \(credentials.origin)",
                hint: "check the destination's auth, then retry", status: 403)
        case .keys(.signature):
            UploadFailure(
                .authentication,
                "the server does not accept the signature: the secret key from \(credentials.origin) is wrong",
                hint: "check the destination's auth; if it is right, a proxy may change requests",
                status: 403)
        case .expired, .clock, .region, .notImplemented:
            UploadFailure(
                .authentication, "the session token from \(credentials.origin) has expired or is not valid",
                hint: "get new temporary credentials, then retry", status: 403)
        }
    }
}
