import FerryProtocols
public import FerryTransfer
import HTTPTypes

/// The results of a request, in several forms. Each call begins the request if necessary, and throws `RequestFailure`
/// if it fails.
extension RequestTask {
    /// Returns the accepted response, possibly without the end of its body (`isBodyComplete`).
    public func response() async throws(RequestFailure) -> TransportResponse {
        try await outcome().1.get().response
    }

    /// Returns only the status of the response.
    public func status() async throws(RequestFailure) -> Int { try await response().status }

    /// Returns the whole body of the response, and throws if only its beginning was read.
    public func data() async throws(RequestFailure) -> Data {
        try await decoded { Data(try $1.completeBody()) }
    }

    /// Returns the body of the response as text, in the charset of its content type or UTF-8.
    public func string() async throws(RequestFailure) -> String {
        try await decoded { try $1.text() }
    }

    /// Returns the JSON of the response as a value.
    ///
    /// An empty body is an error, except in a 204, a 205 and the response to a HEAD: then it is `EmptyResponse.empty`
    /// of the type, which is nil for an optional.
    public func decoding<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) async throws(RequestFailure) -> Value {
        try await decoded { request, response in
            let body = try response.completeBody()
            guard body.isEmpty else { return try decoder.decode(type, from: Data(body)) }
            let mayBeEmpty = [204, 205].contains(response.status) || request.method == .head
            guard mayBeEmpty, let empty = (type as? any EmptyResponse.Type)?.empty as? Value else {
                throw UploadFailure(
                    .permanent, "the answer to decode is empty",
                    hint: mayBeEmpty ? "read an optional, or only the status" : "read only the status",
                    status: response.status)
            }
            return empty
        }
    }

    /// Returns the result of `decode`. If it fails, the retriers decide whether to repeat the request.
    public func decoded<Value: Sendable>(
        _ decode: @Sendable (TransportRequest, TransportResponse) throws -> Value
    ) async throws(RequestFailure) -> Value {
        while true {
            let (execution, outcome) = await outcome()
            let accepted = try outcome.get()
            do {
                return try decode(accepted.request, accepted.response)
            } catch {
                try await again(after: .undecodable(accepted.response, error), to: accepted, from: execution)
            }
        }
    }
}

/// A type with a value that stands for a response without a body; `RequestTask.decoding` returns that value.
public protocol EmptyResponse {
    /// The value for an empty body.
    static var empty: Self { get }
}

extension Optional: EmptyResponse {
    public static var empty: Wrapped? { nil }
}

extension TransportResponse {
    /// Returns the whole body.
    /// - Throws: `UploadFailure` if only the beginning of the body was read.
    fileprivate func completeBody() throws -> [UInt8] {
        guard isBodyComplete else {
            throw UploadFailure(
                .permanent,
                "only the first \(body.count) bytes of the answer are there: it is longer, or the connection broke",
                hint: "raise responseLimit in the transport's configuration, or retry", status: status)
        }
        return body
    }

    fileprivate func text() throws -> String {
        let charset = fields[.contentType].flatMap(Self.charset)
        let encoding = charset.flatMap(String.Encoding.init(charset:)) ?? .utf8
        guard let text = String(data: Data(try completeBody()), encoding: encoding) else {
            throw UploadFailure(
                .permanent, "the answer is not text in \(charset ?? "utf-8")", status: status)
        }
        return text
    }

    /// Returns the charset of a content type (RFC 9110 §8.3.2) in lower case, without quotes.
    private static func charset(of contentType: String) -> String? {
        for parameter in contentType.split(separator: ";").dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1).map {
                $0.trimmed()
            }
            guard pair.count == 2, pair[0].lowercased() == "charset" else { continue }
            return pair[1].trimmed { $0 == "\"" }.lowercased()
        }
        return nil
    }
}

extension String.Encoding {
    fileprivate init?(charset: String) {
        switch charset {
        case "utf-8", "utf8": self = .utf8
        case "us-ascii", "ascii": self = .ascii
        case "iso-8859-1", "latin1": self = .isoLatin1
        case "iso-8859-2": self = .isoLatin2
        case "windows-1252": self = .windowsCP1252
        case "utf-16": self = .utf16
        case "utf-16le": self = .utf16LittleEndian
        case "utf-16be": self = .utf16BigEndian
        default: return nil
        }
    }
}
