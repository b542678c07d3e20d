import FerryTransfer

/// What makes a file on its way to a place the same as another one.
struct UploadKey: Hashable {
    let path: LocalPath
    let target: Upload.Target

    init(_ upload: Upload) { (path, target) = (upload.path, upload.target) }
    init(_ new: NewUpload) { (path, target) = (new.path, new.target) }
}

/// What need not be added once more: files on their way to the same place, whatever version of them, and those that are
/// there in the same version.
package struct KnownUploads {
    private var known: [UploadKey: [Upload]] = [:]

    package init(_ uploads: some Sequence<Upload>) {
        for upload in uploads { known[UploadKey(upload), default: []].append(upload) }
    }

    /// Takes in what the history tells. What failed and was removed counts for nothing.
    package mutating func add(_ past: some Sequence<HistoryEntry>) {
        for entry in past {
            guard entry.upload.isDone else { continue }
            known[UploadKey(entry.upload), default: []].append(entry.upload)
        }
    }

    package func contains(_ new: NewUpload) -> Bool { upload(of: new) != nil }

    /// The one for which it need not be added; one that has failed only if there is no other.
    package func upload(of new: NewUpload) -> Upload? {
        let same = known[UploadKey(new), default: []].filter { !$0.isDone || $0.identity == new.identity }
        return same.first { !$0.hasFailed } ?? same.first
    }
}
