import FerryFiles

/// The URL of a destination for Google's resumable uploads, and the URLs that are derived from it.
struct GoogleAddress: Sendable {
    /// The absolute URL, with its query.
    let url: String

    /// True if the URL is that of an existing upload session, which accepts one file.
    var isSession: Bool { AddressQuery.value("upload_id", in: url) != nil }

    /// True for the JSON API of Cloud Storage. Drive, YouTube and other services have the same upload sessions, but
    /// different metadata of files.
    var isCloudStorage: Bool { bucketStart != nil }

    /// Returns the URL at which an upload session for a file of this name is created.
    ///
    /// - Parameter more: The items to add to the URL's query.
    func creation(of name: String, more: [(name: String, value: String)] = []) -> String {
        var added = more
        if AddressQuery.value("uploadType", in: url) == nil {
            added.insert(("uploadType", "resumable"), at: 0)
        }
        return AddressQuery.adding(added, to: UploadAddress.filled(url, with: name))
    }

    /// True if the URL determines the object's name: it contains `{name}`, or its query has the item `name`.
    var tellsName: Bool { url.contains(UploadAddress.nameMark) || AddressQuery.value("name", in: url) != nil }

    /// Returns the name of the object for a file with this name. The name in the query of `url` takes precedence.
    func objectName(for name: String) -> String {
        AddressQuery.value("name", in: UploadAddress.filled(url, with: name)) ?? name
    }

    /// Returns the URL of an object's metadata at Cloud Storage; nil for other services.
    func object(named name: String) -> String? {
        bucket.map { "\($0)/o/\(AddressQuery.encoded(objectName(for: name)))" }
    }

    /// The URL of the bucket's metadata at Cloud Storage; nil for other services.
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
