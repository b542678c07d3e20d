import FerryFiles
import FerryProtocols

/// The stored properties of a resumable upload. Its offset is the size of its data file.
struct TusUpload: Codable, Hashable, Sendable {
    enum State: Codable, Hashable, Sendable {
        case receiving
        /// The data file is being renamed to this path. If it no longer exists after a crash, the rename is done.
        case finishing(path: String)
        case finished(path: String)
    }

    let id: String
    /// The number of bytes of the whole file; `unknownLength` for an IETF upload without a declared length.
    var length: Int
    let metadata: String?
    var state: State
    var touched: Date
    var resumable: ResumableTerms?
    /// The `ClientAddress` of the client that created the upload; nil if an older version of the receiver stored it.
    var client: String?

    /// True until the upload is finished: its bytes can still arrive, or its data file is not renamed yet.
    var isOpen: Bool {
        if case .finished = state { false } else { true }
    }

    static let unknownLength = Int.max

    /// True if the last byte completes the upload. An IETF upload is complete when its client says so.
    var endsByLength: Bool {
        if case .finishing = state { return true }
        return resumable == nil
    }

    /// The number of bytes of the client's texts in the info file, which count against the quota.
    var infoBytes: Int {
        [metadata, resumable?.path, resumable?.digest].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    static func infoName(_ id: String) -> LocalPath { LocalPath("\(id).json") }

    func wish() throws -> StoredPath {
        try resumable?.wish() ?? Self.wish(metadata, id: id)
    }

    /// The path to show to users: the final path, or the requested path while bytes are received.
    var name: String {
        switch state {
        case .finishing(let path), .finished(let path): path
        case .receiving: (try? wish().text) ?? id
        }
    }

    /// Returns the path that the client gives in the metadata; a name made of `id` if there is none.
    static func wish(_ metadata: String?, id: String) throws(NameProblem) -> StoredPath {
        guard let path = metadata.flatMap({ TusMetadata(header: $0) }).flatMap(clientPath) else {
            return StoredPath(file: try Responder.madeUpName(id))
        }
        return try StoredPath(clientName: path)
    }

    /// Returns `relativePath` without its first slash if it ends with `filename`, otherwise `filename`.
    ///
    /// Uppy sends both keys. Without a folder, `relativePath` is the text `null`. For a file that was dropped with its
    /// folder, it begins with a slash (@uppy/utils 6, `getRelativePath`).
    static func clientPath(_ metadata: TusMetadata) -> String? {
        guard let name = metadata["filename"], !name.isEmpty else { return nil }
        guard let path = metadata["relativePath"] else { return name }
        let scalars = path.unicodeScalars
        let relative = String(scalars.first == "/" ? scalars.dropFirst() : scalars[...])
        return relative.unicodeScalars.split(separator: "/").last.map { String($0) } == name ? relative : name
    }
}

extension UploadStore {
    /// Writes the properties of an upload to its info file, durably.
    func save(_ upload: TusUpload) throws(SystemCallError) {
        guard let bytes = try? JSONEncoder().encode(upload) else {
            throw SystemCallError(call: "write", code: .invalidArgument)
        }
        try work.replace(
            TusUpload.infoName(upload.id), with: Array(bytes), draft: LocalPath("\(upload.id).draft"))
    }

    func forget(_ id: String) throws(SystemCallError) {
        try work.remove(Self.dataName(id))
        try work.remove(TusUpload.infoName(id))
    }

    /// Returns the uploads of an earlier run. Removes all other files in `.ferry`, except the lock and the token.
    func restore() throws(SystemCallError) -> [TusUpload] {
        let names = Set(try work.names().map(LocalPath.init(bytes:)))
        var uploads: [TusUpload] = []
        for name in names where name.text.hasSuffix(".json") {
            guard var upload = try? load(name), TusUpload.infoName(upload.id) == name,
                UploadID.isValid(upload.id)
            else { continue }
            if case .finishing(let path) = upload.state, try hasName(path, upload.id) {
                try work.remove(Self.dataName(upload.id))
                upload.state = .finished(path: path)
            }
            uploads.append(upload)
        }
        let kept = Set(
            uploads.flatMap { [Self.dataName($0.id), TusUpload.infoName($0.id)] } + [
                Self.lockName, TokenFile.name,
            ])
        // An entry that cannot be removed, such as a folder, must not keep the receiver from starting.
        for name in names.subtracting(kept) { try? work.remove(name) }
        return uploads
    }

    /// True if the data file was renamed to `path`, or has both names after a crash during the rename.
    private func hasName(_ path: String, _ id: String) throws(SystemCallError) -> Bool {
        guard (try? work.status(of: Self.dataName(id))) != nil else { return true }
        guard let published = StoredPath(text: path).flatMap({ try? stored($0) }) else { return false }
        return try open(id).status().entityTag == published.status.entityTag
    }

    private func load(_ name: LocalPath) throws -> TusUpload {
        let bytes = try work.open(name, for: .reading).content(upTo: 64 << 10)
        return try JSONDecoder().decode(TusUpload.self, from: Data(bytes))
    }
}
