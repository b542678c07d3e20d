import FerryFiles

/// The absolute URL of a destination that uses Google's resumable uploads, and other URLs that are made from it.
struct GoogleAddress: Sendable {
    let url: String

    /// True if the URL belongs to an existing upload session, which accepts one file.
    var isSession: Bool { AddressQuery.value("upload_id", in: url) != nil }

    /// True for Cloud Storage. Drive, YouTube and others expect the metadata of a file in another form.
    var isCloudStorage: Bool { bucketStart != nil }

    /// Returns the URL that creates an upload session for a file with this name.
    func creation(of name: String, more: [(name: String, value: String)] = []) -> String {
        var added = more
        if AddressQuery.value("uploadType", in: url) == nil {
            added.insert(("uploadType", "resumable"), at: 0)
        }
        return AddressQuery.adding(added, to: UploadAddress.filled(url, with: name))
    }

    /// True if the URL determines the name of the stored object.
    var tellsName: Bool { url.contains(UploadAddress.nameMark) || AddressQuery.value("name", in: url) != nil }

    /// Returns the URL of the object's metadata in Cloud Storage. The query item `name` has precedence over `name`.
    func object(named name: String) -> String? {
        let object = AddressQuery.value("name", in: UploadAddress.filled(url, with: name)) ?? name
        return bucket.map { "\($0)/o/\(object.percentEncoded())" }
    }

    /// The URL for the metadata of the bucket in Google's Cloud Storage; nil for other Google services.
    var bucket: String? {
        guard let bucketStart else { return nil }
        let base = UploadAddress.withoutQuery(url)
        let name = base[bucketStart...].prefix { $0 != "/" }
        let head = base[..<bucketStart].dropLast(Self.uploads.count)
        return "\(head)/storage/v1/b/\(name)"
    }

    private static let uploads = "/upload/storage/v1/b/"

    private var bucketStart: String.Index? {
        UploadAddress.withoutQuery(url).firstRange(of: Self.uploads)?.upperBound
    }
}

/// The absolute URL of a destination that uses Microsoft Graph's upload sessions, and other URLs that are made from it.
struct GraphAddress: Sendable {
    /// The URL that creates sessions (`…/root:/folder/{name}:/createUploadSession`) or belongs to an existing one.
    let url: String

    /// True if the URL belongs to an existing upload session, which accepts one file.
    var isSession: Bool { !UploadAddress.withoutQuery(url).hasSuffix(Self.creation) }

    /// Returns the URL that creates an upload session for a file with the name `name`.
    func session(for name: String) -> String { UploadAddress.filled(url, with: name) }

    /// Returns the URL for sending a whole file in one request, with Graph's policy for an existing file, if any.
    func content(of name: String, policy: String?) -> String {
        let filled = UploadAddress.filled(url, with: name)
        let base = UploadAddress.withoutQuery(filled)
        let content = base.dropLast(Self.creation.count) + "/content" + filled.dropFirst(base.count)
        guard let policy else { return String(content) }
        return AddressQuery.adding([("@microsoft.graph.conflictBehavior", policy)], to: String(content))
    }

    /// Returns the URL for the metadata of a file with the name `name`. `isSession` must be false.
    func item(named name: String) -> String {
        let base = UploadAddress.withoutQuery(UploadAddress.filled(url, with: name)).dropLast(
            Self.creation.count)
        return String(base.last == ":" ? base.dropLast() : base)
    }

    /// The URL of the drive in Graph, such as `https://graph.microsoft.com/v1.0/me/drive`; nil if the URL names none.
    var drive: String? {
        let base = UploadAddress.withoutQuery(url)
        guard !isSession else { return nil }
        if let found = base.firstRange(of: "/drive/") { return "\(base[..<found.lowerBound])/drive" }
        guard let found = base.firstRange(of: "/drives/") else { return nil }
        let id = base[found.upperBound...].prefix { $0 != "/" }
        return "\(base[..<found.upperBound])\(id)"
    }

    private static let creation = "/createUploadSession"
}

/// Functions that read the query parameters of a URL, and add others without changing these, which may be signed.
enum AddressQuery {
    /// Returns the decoded value of the first query parameter with this name, empty without `=`; nil if there is none.
    static func value(_ name: String, in url: String) -> String? {
        for item in items(of: url) {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair[0].percentDecoded() == name else { continue }
            let value = pair.count == 2 ? String(pair[1]) : ""
            return value.percentDecoded() ?? value
        }
        return nil
    }

    /// Returns the URL with the parameters `added` at the end of its query. The fragment of the URL is removed.
    static func adding(_ added: [(name: String, value: String)], to url: String) -> String {
        let written = added.map { "\($0.name.percentEncoded())=\($0.value.percentEncoded())" }
        let query = (items(of: url).map(String.init) + written).joined(separator: "&")
        let base = UploadAddress.withoutQuery(url)
        return query.isEmpty ? base : "\(base)?\(query)"
    }

    private static func items(of url: String) -> [Substring] {
        UploadAddress.parts(of: url).query.dropFirst().split(separator: "&")
    }
}
