import FerryProtocols
public import FerryTransfer
import HTTPTypes

/// The checks that decide in sequence whether a response is a success.
public struct ResponseValidation: Sendable {
    /// A function that throws if the response is not accepted.
    public typealias Check = @Sendable (TransportRequest, TransportResponse) async throws -> Void

    private let checks: [Check]

    private init(_ checks: [Check]) { self.checks = checks }

    /// Accepts every response, even a 500. As `.none`, it would be nil for an optional: the session's validation.
    public static let unchecked = ResponseValidation([])

    /// Accepts the statuses 200 to 299 with a content type that the request's `Accept` allows. This is the default.
    public static let automatic = ResponseValidation.statuses(200..<300).and(.acceptedContentTypes)

    /// Accepts these statuses and no other.
    public static func statuses(_ accepted: some Collection<Int> & Sendable) -> ResponseValidation {
        ResponseValidation([
            { _, response in
                guard !accepted.contains(response.status) else { return }
                throw ResponseClassifier.failure(response.protocolResponse)
            }
        ])
    }

    /// Accepts only these content types, with wildcards (`text/*`, `*/*`) and without parameters. An empty body is
    /// always accepted, and a body without a content type only for `*/*`.
    public static func contentTypes(_ accepted: [String]) -> ResponseValidation {
        let ranges = accepted.compactMap { MediaRange($0) }
        return ResponseValidation([{ _, response in try checkType(of: response, against: ranges) }])
    }

    /// Accepts the content types of the request's `Accept`, as `contentTypes(_:)` does, or any without that field.
    public static let acceptedContentTypes = ResponseValidation([
        { request, response in
            guard let accept = request.fields[.accept] else { return }
            try checkType(of: response, against: MediaRange.list(accept))
        }
    ])

    /// Returns a validation by `check`, whose error is the reason for a rejection.
    public static func check(_ check: @escaping Check) -> ResponseValidation { ResponseValidation([check]) }

    /// Returns a validation with these checks, then those of `other`.
    public func and(_ other: ResponseValidation) -> ResponseValidation {
        ResponseValidation(checks + other.checks)
    }

    /// Calls the checks, and throws `RequestFailure.rejected` with the first error.
    func validate(_ response: TransportResponse, to request: TransportRequest) async throws(RequestFailure) {
        for check in checks {
            do { try await check(request, response) } catch {
                let reason =
                    RequestFailure.worded(error)
                    ?? UploadFailure(
                        .permanent, "the answer was not accepted: \(error)", status: response.status)
                throw .rejected(response, reason)
            }
        }
    }

    private static func checkType(of response: TransportResponse, against ranges: [MediaRange]) throws {
        guard !response.body.isEmpty else { return }
        let accepted = ranges.map(\.text).sorted().joined(separator: ", ")
        guard let value = response.fields[.contentType] else {
            guard !ranges.contains(where: { $0.text == "*/*" }) else { return }
            throw UploadFailure(
                .permanent, "the answer does not say its content type; accepted are \(accepted)",
                status: response.status)
        }
        guard let type = MediaRange(value), ranges.contains(where: { $0.accepts(type) }) else {
            throw UploadFailure(
                .permanent,
                "the answer has the content type \(ServerText.cleaned(value)); accepted are \(accepted)",
                status: response.status)
        }
    }
}

/// A media type without parameters, or a range with `*` for any type or subtype (RFC 9110 §12.5.1).
struct MediaRange: Hashable, Sendable {
    let type: String
    let subtype: String

    init?(_ text: some StringProtocol) {
        let essence = String(text.prefix { $0 != ";" }).filter { !$0.isWhitespace }.lowercased()
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        type = String(parts[0])
        subtype = String(parts[1])
    }

    /// Returns the valid media ranges of a comma-separated list, such as the value of `Accept`.
    static func list(_ text: String) -> [MediaRange] {
        text.split(separator: ",").compactMap { MediaRange($0) }
    }

    func accepts(_ other: MediaRange) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }

    var text: String { "\(type)/\(subtype)" }
}
