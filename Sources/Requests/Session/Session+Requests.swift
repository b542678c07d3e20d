import FerryProtocols
import FerryTransfer
public import HTTPTypes

extension Session {
    /// Uploads a body: bytes, a file, a stream, a form.
    ///
    /// ```swift
    /// let receipt = try await session.upload(.file(path), to: "https://…/films", method: .put)
    ///     .decoding(Receipt.self)
    /// ```
    ///
    /// - Parameters:
    ///   - url: An absolute URL: `http`, `https` or `http+unix`. An invalid one ends the request with
    ///     `RequestFailure.unusable`.
    ///   - headers: The header fields, in place of those of the session and of the body's suggested content type.
    /// - Returns: The request, which has begun if `startsRequestsImmediately` is true.
    @discardableResult
    public func upload(
        _ body: UploadBody, to url: String, method: HTTPRequest.Method = .post, headers: HTTPFields = [:],
        options: RequestOptions = RequestOptions()
    ) -> RequestTask {
        make(TransportRequest(method: method, url: url, fields: headers), body, options)
    }

    /// Makes a request with query items, and by default without a body.
    @discardableResult
    public func request(
        _ url: String, method: HTTPRequest.Method = .get, query: FormFields = [:], headers: HTTPFields = [:],
        body: UploadBody = .none, options: RequestOptions = RequestOptions()
    ) -> RequestTask {
        make(
            TransportRequest(method: method, url: Self.address(url, adding: query), fields: headers), body,
            options)
    }

    private func make(
        _ request: TransportRequest, _ body: UploadBody, _ options: RequestOptions
    ) -> RequestTask {
        var request = request.adding(configuration.headers)
        switch body.contentType {
        case .none: break
        case .suggested(let type):
            if request.fields[.contentType] == nil { request.fields[.contentType] = type }
        case .required(let type): request.fields[.contentType] = type
        }
        if let key = options.idempotencyKey {
            request.fields.idempotencyKey = key
            request.isRepeatable = true
        }
        let task = RequestTask(run(request, body: body, options), session: self)
        if configuration.startsRequestsImmediately { task.resume() }
        return task
    }

    /// Returns the URL with the query added, after an existing one and before a fragment (RFC 3986 §3).
    private static func address(_ url: String, adding query: FormFields) -> String {
        let added = query.encoded
        guard !added.isEmpty else { return url }
        let end = url.firstIndex(of: "#") ?? url.endIndex
        let head = url[..<end]
        let joint = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
        return head + joint + added + url[end...]
    }
}
