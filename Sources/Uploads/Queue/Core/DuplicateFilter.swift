import FerryTransfer

/// The properties by which a file on its way to a target is the same as another one.
struct UploadKey: Hashable {
    let path: LocalPath
    let target: Upload.Target

    init(_ upload: Upload) { (path, target) = (upload.path, upload.target) }
    init(_ new: NewUpload) { (path, target) = (new.path, new.target) }
}

/// A filter for files that need not be added once more: files on their way to the same target, and those that are there
/// in the same version.
package struct DuplicateFilter {
    /// The unfinished uploads that keep a file from being added.
    package enum Match: Sendable {
        /// Uploads of the same version of the file.
        case inSameVersion
        /// Uploads of any version of it.
        case inAnyVersion

        package func makesNeedless(_ new: NewUpload, _ upload: Upload) -> Bool {
            switch self {
            case .inSameVersion: upload.identity == new.identity
            case .inAnyVersion: !upload.isDone || upload.identity == new.identity
            }
        }
    }

    private var known: [UploadKey: [Upload]] = [:]
    private let match: Match

    package init(_ uploads: some Sequence<Upload>, match: Match = .inAnyVersion) {
        self.match = match
        for upload in uploads { known[UploadKey(upload), default: []].append(upload) }
    }

    /// Takes in what the history tells. What failed and was removed counts for nothing.
    package mutating func add(_ past: some Sequence<HistoryEntry>) {
        for entry in past {
            guard entry.upload.isDone else { continue }
            known[UploadKey(entry.upload), default: []].append(entry.upload)
        }
    }

    package mutating func add(_ uploads: [Upload]) {
        for upload in uploads { known[UploadKey(upload), default: []].append(upload) }
    }

    package func contains(_ new: NewUpload) -> Bool { upload(of: new) != nil }

    /// The one for which it need not be added; one that has failed only if there is no other.
    package func upload(of new: NewUpload) -> Upload? {
        let same = known[UploadKey(new), default: []].filter { match.makesNeedless(new, $0) }
        return same.first { !$0.hasFailed } ?? same.first
    }
}
