import FerryTransfer

/// The ids of the uploads of each file. A lookup of a file is fast, even in a queue of a million uploads.
struct UploadsByPath {
    private var first: [LocalPath: Upload.ID] = [:]
    /// The ids of a file's uploads after the first one: an array for each of a million files takes much memory.
    private var others: [LocalPath: [Upload.ID]] = [:]

    init(_ uploads: some Sequence<Upload>) {
        for upload in uploads { insert(upload) }
    }

    subscript(path: LocalPath) -> [Upload.ID] {
        first[path].map { [$0] + others[path, default: []] } ?? []
    }

    mutating func insert(_ upload: Upload) {
        if first[upload.path] == nil {
            first[upload.path] = upload.id
        } else {
            others[upload.path, default: []].append(upload.id)
        }
    }

    mutating func remove(_ upload: Upload) {
        let left = self[upload.path].filter { $0 != upload.id }
        first[upload.path] = left.first
        others[upload.path] = left.count > 1 ? Array(left.dropFirst()) : nil
    }
}
