import FerryTransfer

/// The path of a file and its target, which together identify what is uploaded where.
struct UploadKey: Hashable {
    let path: LocalPath
    let target: Upload.Target

    init(_ upload: Upload) { (path, target) = (upload.path, upload.target) }
    init(_ new: NewUpload) { (path, target) = (new.path, new.target) }

    /// Few uploads of a file have different targets, so the path alone tells most keys apart.
    func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

/// Finds new uploads that an existing upload of the same file to the same target makes unnecessary.
package struct DuplicateFilter {
    /// The rule by which an existing upload makes a new one unnecessary.
    package enum Match: Sendable {
        /// The existing upload must have the same version of the file, in any state.
        case inSameVersion
        /// A done upload must have the same version of the file, any other existing upload any version.
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
        add(uploads)
    }

    package mutating func add(_ past: some Sequence<HistoryEntry>) {
        add(past.lazy.map(\.upload).filter(\.isDone))
    }

    package mutating func add(_ uploads: some Sequence<Upload>) {
        for upload in uploads { known[UploadKey(upload), default: []].append(upload) }
    }

    package var isEmpty: Bool { known.isEmpty }

    package func contains(_ new: NewUpload) -> Bool { upload(of: new) != nil }

    /// Returns the upload that makes `new` unnecessary, if possible one that has not failed.
    package func upload(of new: NewUpload) -> Upload? {
        let same = known[UploadKey(new), default: []].filter { match.makesNeedless(new, $0) }
        return same.first { !$0.hasFailed } ?? same.first
    }
}
