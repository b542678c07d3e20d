import HTTPTypes

/// The facts about a WebDAV server that its responses have shown. They are stored in `ServerCapabilities`.
struct WebDAVServer: Hashable, Sendable {
    enum Ranges: String, Sendable {
        /// `PUT` with `Content-Range`, after one such request has worked (RFC 9110 §14.5).
        case put
        /// SabreDAV's `PATCH` with `X-Update-Range`, which the response to `OPTIONS` offered.
        case patch
        /// The server has refused a part of a file, or the stored file had a wrong size after one.
        case refused = "no"
    }

    private(set) var capabilities: ServerCapabilities

    init(_ capabilities: ServerCapabilities) { self.capabilities = capabilities }

    /// Reads the facts from the response to `OPTIONS`; none if the server refused it.
    init(options response: ExchangeOutcome.Response) {
        capabilities = ServerCapabilities()
        guard response.isSuccess else { return }
        // Some servers send the field more than once; HTTPFields joins them.
        capabilities.extensions = Set(FieldList.words(response.fields[.dav]).map { $0.lowercased() })
        let methods = response.allowedMethods
        // Allow describes only this URL: for a missing one, Apache lists no MOVE. So DAV takes precedence.
        if capabilities.extensions.isEmpty, !methods.isEmpty, !methods.contains("MOVE") { moves = false }
        if capabilities.extensions.contains("sabredav-partialupdate") { ranges = .patch }
    }

    /// False once a response has shown that the server does not support `MOVE`. True before that.
    var moves: Bool {
        get { capabilities.facts["move"] != "no" }
        set { capabilities.facts["move"] = newValue ? nil : "no" }
    }

    var takesPropfind: Bool {
        get { capabilities.facts["propfind"] != "no" }
        set { capabilities.facts["propfind"] = newValue ? nil : "no" }
    }

    /// The method by which this server writes parts of a file; nil while it is unknown.
    var ranges: Ranges? {
        get { capabilities.facts["ranges"].flatMap(Ranges.init) }
        set { capabilities.facts["ranges"] = newValue?.rawValue }
    }

    /// True once a `MOVE` on this server has moved a file to the URL in `Destination`.
    var movesArrive: Bool {
        get { capabilities.facts["move"] == "yes" }
        set { capabilities.facts["move"] = newValue ? "yes" : nil }
    }

    /// The maximum number of bytes in one request, after the server refused one as too large (413).
    var largestRequest: ByteCount? {
        get { capabilities.facts["largestRequest"].flatMap { ByteCount($0) }.flatMap { $0 > 0 ? $0 : nil } }
        set { capabilities.facts["largestRequest"] = newValue.map { "\($0)" } }
    }

    /// True for Nextcloud and ownCloud, which store the modification times and the digests of files.
    var isOwnCloud: Bool {
        capabilities.extensions.contains { name in
            name.hasPrefix("nextcloud-") || name.hasPrefix("oc-") || name.hasPrefix("nc-")
        }
    }
}

extension ServerCapabilities {
    /// True if an interrupted upload to this WebDAV server can resume, because the server can write parts of a file: by
    /// `PATCH`, or in chunks of a configured size by `PUT` with `Content-Range`.
    public func resumesWebDAV(_ options: ProtocolOptions) -> Bool {
        switch WebDAVServer(self).ranges {
        case .patch: true
        case .put: options.chunkSize != nil
        case .refused, nil: false
        }
    }
}
