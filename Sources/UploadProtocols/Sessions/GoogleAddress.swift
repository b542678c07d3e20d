import FerryFiles

/// The URL of a destination that uses Google's resumable uploads. Other URLs at Google are made from it.
struct GoogleAddress: Sendable {
    /// The absolute URL, with its query.
    let url: String

    /// True if the URL belongs to an existing upload session, which accepts one file. Such a URL has the query item
    /// `upload_id`.
    var isSession: Bool { AddressQuery.value("upload_id", in: url) != nil }

    /// True for the JSON API of Google's Cloud Storage. Drive, YouTube and other Google services have the same upload
    /// sessions, but expect the metadata of a file in another form.
    var isCloudStorage: Bool { bucketStart != nil }

    /// Returns the URL that creates an upload session for a file with this name. Adds the query item
    /// `uploadType=resumable` if the URL has no item `uploadType`.
    func creation(of name: String, more: [(name: String, value: String)] = []) -> String {
        var added = more
        if AddressQuery.value("uploadType", in: url) == nil {
            added.insert(("uploadType", "resumable"), at: 0)
        }
        return AddressQuery.adding(added, to: UploadAddress.filled(url, with: name))
    }

    /// True if the URL determines the name of the stored object: the URL contains `{name}`, or its query has the item
    /// `name`.
    var tellsName: Bool { url.contains(UploadAddress.nameMark) || AddressQuery.value("name", in: url) != nil }

    /// Returns the name of the stored object for a file named `name`. If the URL's query has the item `name`, the value
    /// of that item is the object's name. Otherwise, the object has the name of the file.
    func objectName(for name: String) -> String {
        AddressQuery.value("name", in: UploadAddress.filled(url, with: name)) ?? name
    }

    /// Returns the URL for the metadata of the object in Google's Cloud Storage; nil for other Google services.
    func object(named name: String) -> String? {
        bucket.map { "\($0)/o/\(AddressQuery.encoded(objectName(for: name)))" }
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
