import FerryProtocols
public import FerryTransfer
import HTTPTypes

/// The checks that decide whether a response is a success. They run in sequence, and the first error rejects the
/// response.
public struct ResponseValidation: Sendable {
    /// A function that throws if the response is not accepted.
    public typealias Check = @Sendable (TransportRequest, TransportResponse) async throws -> Void

    private let checks: [Check]

    private init(_ checks: [Check]) { self.checks = checks }

    /// Accepts every response, even a 500. The name is not `none`, because `.none` for an optional `ResponseValidation`
    /// would be nil. A validation of nil means the session's validation.
    public static let unchecked = ResponseValidation([])

    /// Accepts a response if its status is 200 to 299, and the request's `Accept` allows its content type. Without
    /// `Accept`, every content type is accepted. This is the default.
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

    /// Accepts only these content types. They can contain wildcards: `text/*`, `*/*`. Parameters are not compared. A
    /// response with an empty body is always accepted. A response without a content type is accepted only for `*/*`.
    public static func contentTypes(_ accepted: [String]) -> ResponseValidation {
        let ranges = accepted.compactMap { MediaRange($0) }
        return ResponseValidation([{ _, response in try checkType(of: response, against: ranges) }])
    }

    /// Accepts a response if the request's `Accept` allows its content type. Parameters are not compared. A body
    /// without a content type is accepted only if `Accept` contains `*/*`. Every response is accepted if the request
    /// has no `Accept`, or if the response has no body.
    public static let acceptedContentTypes = ResponseValidation([
        { request, response in
            guard let accept = request.fields[.accept] else { return }
            try checkType(of: response, against: MediaRange.list(accept))
        }
    ])

    /// Returns a validation that calls `check`. If `check` throws, its error is the reason for the rejection.
    public static func check(_ check: @escaping Check) -> ResponseValidation { ResponseValidation([check]) }

    /// Returns a validation with these checks, then those of `other`.
    public func and(_ other: ResponseValidation) -> ResponseValidation {
        ResponseValidation(checks + other.checks)
    }

    /// Calls the checks in sequence.
    /// - Throws: `RequestFailure.rejected` with the error of the first check that fails.
    func validate(
        _ response: TransportResponse, to request: TransportRequest
    ) async throws(RequestFailure) {
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

/// A media type without parameters, such as `text/html`. As in `Accept`, `*` stands for any type or subtype (RFC 9110
/// §12.5.1).
struct MediaRange: Hashable, Sendable {
    let type: String
    let subtype: String

    /// - Returns: The range; nil for anything that is not `type/subtype`.
    init?(_ text: some StringProtocol) {
        let essence = String(text.prefix { $0 != ";" }).filter { !$0.isWhitespace }.lowercased()
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
        type = String(parts[0])
        subtype = String(parts[1])
    }

    /// Returns the media ranges of a comma-separated list, such as the value of `Accept`. Invalid items are left out.
    static func list(_ text: String) -> [MediaRange] {
        text.split(separator: ",").compactMap { MediaRange($0) }
    }

    func accepts(_ other: MediaRange) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }

    var text: String { "\(type)/\(subtype)" }
}
