import FerryFiles

/// The absolute URL of a destination that uses Google's resumable uploads, and other URLs that are made from it.
struct GoogleAddress: Sendable {
    let url: String

    /// True if the URL belongs to an existing upload session, which accepts one file.
    var isSession: Bool { AddressQuery.value("upload_id", in: url) != nil }

    /// True for the JSON API of Google's Cloud Storage. Drive, YouTube and others have the same upload sessions, but
    /// expect the metadata of a file in another form.
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

    /// Returns the URL for the metadata of the object in Google's Cloud Storage; nil for other Google services. The query
    /// item `name` of the URL is the object's name, or else the name of the file.
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
