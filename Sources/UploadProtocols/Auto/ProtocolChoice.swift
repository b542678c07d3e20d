import FerryFiles
import HTTPTypes

/// The protocol that `AutoUpload` or `AutoCheck` chose for a URL, and the reason for the choice.
public struct ProtocolChoice: Hashable, Sendable {
    /// The name of the protocol, which this build possibly does not contain.
    public var name: String
    /// The reason, as the end of a sentence after "because": `the server says Tus-Version 1.0.0`.
    public var because: String

    public init(_ name: String, because: String) {
        self.name = name
        self.because = because
    }

    /// The choice as a phrase: `tus, because the server says Tus-Version 1.0.0`.
    public var sentence: String { "\(name), because \(because)" }

    /// Returns the protocol that the URL alone determines, if any, without a request to the server.
    public static func named(by url: String) -> ProtocolChoice? {
        if url.lowercased().hasPrefix("s3://") {
            return ProtocolChoice("s3", because: "the address is s3://")
        }
        guard let parts = URLComponents(string: url), let host = parts.host?.lowercased() else { return nil }
        let path = parts.path
        let keys = Set((parts.queryItems ?? []).map { $0.name.lowercased() })
        if !keys.isDisjoint(with: ["x-amz-signature", "x-goog-signature"]) {
            // The URL is signed for exactly one request (AWS, "Presigned URLs"; Google, "Signed URLs").
            return ProtocolChoice("put", because: "the address is signed for one upload")
        }
        if isBelow(host, "amazonaws.com") {
            return ProtocolChoice("s3", because: "the address is Amazon's")
        }
        if isBelow(host, "blob.core.windows.net"), keys.contains("sig") {
            return ProtocolChoice("azure", because: "the address is a blob's with a signature")
        }
        if isBelow(host, "googleapis.com"),
            keys.contains("uploadtype") || path.split(separator: "/").contains("upload")
        {
            return ProtocolChoice("google", because: "the address is one of Google's for uploads")
        }
        // The URL names the request for an upload session (Microsoft Graph, "createUploadSession").
        if host == "graph.microsoft.com", path.hasSuffix("/createUploadSession") {
            return ProtocolChoice("graph", because: "the address makes an upload session")
        }
        if path.contains("/remote.php/dav/files/") {
            return ProtocolChoice("nextcloud", because: "the address is a folder of Nextcloud's")
        }
        return nil
    }

    /// Returns the choice that follows from the response to `OPTIONS` at `url`.
    ///
    /// - Parameter isGivenAddress: True if the user gave the URL instead of a destination's name, so that it is
    ///   possibly the URL of the file itself.
    /// - Throws: `UploadFailure` (`permanent`) if the response does not show how to send files.
    public static func named(
        by response: ExchangeOutcome.Response, at url: String, isGivenAddress: Bool = false
    ) throws(UploadFailure) -> ProtocolChoice {
        let said = announced(in: response)
        if isGivenAddress, !UploadAddress.tellsNamesApart(url), said.map({ $0.name == "webdav" }) ?? true {
            return ProtocolChoice(
                "put", because: "the server says nothing else and it may be a file's address")
        }
        if let said { return said }
        let allowed = response.allowedMethods
        guard UploadAddress.tellsNamesApart(url) else {
            throw unknown(allowed.contains("PUT") ? "put" : "put, post, form or tus")
        }
        if allowed.contains("PUT") { return ProtocolChoice("put", because: "the server allows PUT") }
        // A folder that allows POST but not PUT creates files from posted data, in an unknown format.
        if response.isSuccess, allowed.contains("POST") { throw unknown("post or form") }
        return ProtocolChoice("put", because: "the server says nothing else and the address is a folder")
    }

    private static func announced(in response: ExchangeOutcome.Response) -> ProtocolChoice? {
        let fields = response.fields
        for name in [HTTPField.Name.tusVersion, .tusResumable] {
            guard let versions = fields[name] else { continue }
            guard FieldList.words(versions).contains("1.0.0") else { continue }
            return ProtocolChoice("tus", because: "the server says \(name.rawName) 1.0.0")
        }
        if fields[.tusExtension] != nil {
            return ProtocolChoice("tus", because: "the server says Tus-Extension")
        }
        for name in ["Upload-Limit", "Upload-Draft-Interop-Version"] where fields[.named(name)] != nil {
            return ProtocolChoice("resumable", because: "the server says \(name)")
        }
        // Apache lists PUT for files only, and MOVE and DELETE for folders; a read-only DAV server lists none of them.
        let allowed = response.allowedMethods
        if fields[.named("DAV")] != nil, allowed.isEmpty || ["PUT", "MOVE"].contains(where: allowed.contains)
        {
            return ProtocolChoice("webdav", because: "the server says DAV")
        }
        // S3 servers send a request ID in each response, also in refusals (Amazon S3 API, "Common response headers").
        if let name = ["x-amz-request-id", "x-amz-id-2"].first(where: { fields[.named($0)] != nil }) {
            return ProtocolChoice("s3", because: "the server says \(name)")
        }
        return nil
    }

    private static func isBelow(_ host: String, _ domain: String) -> Bool {
        host == domain || host.hasSuffix("." + domain)
    }

    private static func unknown(_ names: String) -> UploadFailure {
        UploadFailure(
            .permanent, "nothing here says how to upload",
            hint: "set protocol to \(names), or put it before the address (put+https://…)")
    }
}

extension ProtocolChoice {
    /// The key of the protocol's name in `ServerCapabilities.facts` and in `UploadResource.memory`.
    static let nameKey = "protocol"
    static let reasonKey = "because"

    /// Reads a stored choice, if any, from the capabilities' `facts` or the members of a resource's `memory`.
    public init?(_ kept: [String: String]) {
        guard let name = kept[Self.nameKey] else { return nil }
        self.init(name, because: kept[Self.reasonKey] ?? "it was before")
    }

    func added(to kept: [String: String]) -> [String: String] {
        var kept = kept
        kept[Self.nameKey] = name
        kept[Self.reasonKey] = because
        return kept
    }
}

extension ServerCapabilities {
    /// The protocol that `AutoUpload` or `AutoCheck` chose; nil if no choice is stored.
    public var choice: ProtocolChoice? { ProtocolChoice(facts) }
}

extension UploadResource {
    /// The protocol that `AutoUpload` chose; nil if none is stored, for example because the user named it.
    public var choice: ProtocolChoice? { ProtocolChoice(memory.members) }
}
