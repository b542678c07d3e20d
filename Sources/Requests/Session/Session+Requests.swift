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
    ///   - url: An absolute address, `http`, `https` or `http+unix`. One that cannot be used ends the request with
    ///     `RequestFailure.unusable`.
    ///   - headers: Win over the session's, and over the body's own content type.
    /// - Returns: The request, begun unless the session's configuration holds requests.
    @discardableResult
    public func upload(
        _ body: UploadBody, to url: String, method: HTTPRequest.Method = .post, headers: HTTPFields = [:],
        options: RequestOptions = RequestOptions()
    ) -> RequestTask {
        make(TransportRequest(method: method, url: url, fields: headers), body, options)
    }

    /// Makes a request with query items, and without a body unless one is given.
    ///
    /// - Parameters:
    ///   - query: Added to what the address has.
    ///   - body: Such as `.json(value)` or `.form(fields)`.
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

    /// The query goes before a fragment, and after what is there (RFC 3986 §3).
    private static func address(_ url: String, adding query: FormFields) -> String {
        let added = query.encoded
        guard !added.isEmpty else { return url }
        let end = url.firstIndex(of: "#") ?? url.endIndex
        let head = url[..<end]
        let joint = !head.contains("?") ? "?" : head.hasSuffix("?") || head.hasSuffix("&") ? "" : "&"
        return head + joint + added + url[end...]
    }
}
