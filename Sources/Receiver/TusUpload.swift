import FerryFiles
import FerryProtocols

/// The stored properties of a resumable upload, by tus or the IETF draft. The offset is not among them, because it is
/// the size of the upload's data file.
struct TusUpload: Codable, Hashable, Sendable {
    enum State: Codable, Hashable, Sendable {
        case receiving
        /// All bytes are stored, and the data file is being renamed to this path. If the data file no longer exists
        /// after a crash, the rename is done.
        case finishing(path: String)
        case finished(path: String)
    }

    let id: String
    /// The number of bytes of the whole file; `unknownLength` for an IETF upload without a declared length.
    var length: Int
    /// The `Upload-Metadata` as the client sent it.
    let metadata: String?
    var state: State
    /// The time at which a request last used the upload. Without another request, the upload expires a fixed time
    /// later.
    var touched: Date
    /// The properties that only an upload by the IETF draft has; nil for a tus upload.
    var resumable: ResumableTerms?
    /// The `ClientAddress` of the client that created the upload; nil if an older version of the receiver stored it.
    var client: String?

    /// True until the upload is finished: its bytes can still arrive, or its data file is not renamed yet.
    var isOpen: Bool {
        if case .finished = state { false } else { true }
    }

    static let unknownLength = Int.max

    /// True if the upload is complete as soon as all its bytes are stored. This is the case for a tus upload, and for
    /// any upload that is being renamed. It is not the case for an IETF upload that its client has not declared
    /// complete yet.
    var endsByLength: Bool {
        if case .finishing = state { return true }
        return resumable == nil
    }

    /// The number of bytes of the client's texts (metadata, path and digest) in the file with the properties. These
    /// bytes count against the quota.
    var infoBytes: Int {
        [metadata, resumable?.path, resumable?.digest].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    static func infoName(_ id: String) -> LocalPath { LocalPath("\(id).json") }
}

/// The path that the client requested for the file (`wish`), and the path for users (`name`).
extension TusUpload {
    func wish() throws(Refusal) -> StoredPath {
        if let resumable { return try resumable.wish() }
        return try Self.wish(metadata, id: id)
    }

    /// The path to show to users. While bytes are received, it is the path of `wish()`, or the upload's `id` if
    /// `wish()` throws. Later, it is the final path of the file.
    var name: String {
        switch state {
        case .finishing(let path), .finished(let path): path
        case .receiving: (try? wish().text) ?? id
        }
    }

    /// Returns the path that the client gives in the metadata. If the metadata is missing, is malformed or has no
    /// `filename`, returns a name made of the upload's `id`.
    /// - Throws: `Refusal` with 400 if the path is not safe.
    static func wish(_ metadata: String?, id: String) throws(Refusal) -> StoredPath {
        guard let path = metadata.flatMap({ TusMetadata(header: $0) }).flatMap(clientPath) else {
            return StoredPath(file: try Responder.madeUpName(id))
        }
        do { return try StoredPath(clientName: path) } catch { throw Refusal(error) }
    }

    /// Returns the path of the file that the metadata contains; nil if `filename` is missing or empty. The path is
    /// `relativePath`, without a slash at its beginning, if the last component of `relativePath` is `filename`.
    /// Otherwise the path is `filename`.
    ///
    /// Uppy sends both keys. For a file without a folder, `relativePath` is the text `null`. For a file that was
    /// dropped with its folder, `relativePath` begins with a slash (@uppy/utils 6, `getRelativePath`).
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

    /// Returns the uploads of an earlier run. Removes all files in `.ferry` that belong to none of these uploads,
    /// except the lock and the token.
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

    /// True if the data file was renamed to `path`. Also true if a crash during the rename left the file under both
    /// names.
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
