import Dispatch
public import FerryProtocols
import Synchronization

/// An upload that the queue no longer continues, and whose bytes its server possibly still stores.
public struct AbandonedUpload: Hashable, Sendable {
    /// The upload as `queued`, without its counts of attempts. Its `resource` identifies the bytes to delete.
    public var upload: Upload
    /// The time from which Ferry may delete the bytes. Until then, an undo of the removal resumes with these bytes.
    public var since: Date

    /// Returns nil if the upload is done, or if it has no `resource`, which identifies its bytes on the server.
    init?(_ upload: Upload, since: Date) {
        guard upload.resource != nil, !upload.isDone else { return nil }
        self.upload = upload
        // Deleting the bytes needs neither the last state nor the counts of the attempts.
        self.upload.state = .queued
        self.upload.tries = Upload.Tries()
        self.since = since
    }

    /// The URL of the unfinished upload on the server. Each entry in the list of abandoned uploads has a different URL.
    public var url: String { upload.resource?.url ?? "" }
    /// The number of bytes that the server confirmed in the last attempt; nil if it confirmed none.
    public var stored: ByteCount? { upload.confirmed > 0 ? upload.confirmed : nil }
    /// The time when the server deletes the bytes by itself; nil if the server stated no time.
    public var expires: Date? { upload.resource?.expires }
}

/// The list of abandoned uploads, in the file `abandoned.jsonl` of the state folder. Ferry stores their URLs to delete
/// the bytes later, because most servers cannot list unfinished uploads.
///
/// Only the owner of the queue adds entries and rewrites the file. Any process can append a line that marks an entry as
/// gone: for example, `ferry check`. Entries that cannot be written stay in memory.
public final class AbandonedUploads: Sendable {
    static let name = "abandoned.jsonl"
    /// The maximum number of entries. Reading or rewriting a longer file drops the oldest.
    static let limit = 1000
    /// The length of the file in bytes above which `add` rewrites it without the entries that are marked as gone.
    private static let usualLength = 4 << 20
    private static let longestFile = 64 << 20
    /// The maximum length of a line in bytes. An entry that needs a longer line is dropped.
    private static let longestLine = 64 << 10

    private struct Line: Codable {
        var kept: KeptLine?
        var gone: [String]?
    }

    private struct State {
        /// The time from which the bytes of each listed URL may be deleted; nil before the file was read.
        var listed: [String: Date]?
        var unsaved: [AbandonedUpload] = []
    }

    private let folder: LocalPath
    private let state = Mutex(State())
    /// A serial dispatch queue for all access to the file. So uploads never wait for the disk.
    private let queue = DispatchQueue(label: "abandoned", qos: .utility)

    /// Creates the list. The folder is created at the first write.
    public init(folder: LocalPath) { self.folder = folder }

    /// Adds entries to the list. Returns at once; the entries are written to the file in the background.
    func add(_ uploads: [AbandonedUpload]) {
        guard !uploads.isEmpty else { return }
        queue.async { [self] in state.withLock { write(uploads, in: &$0) } }
    }

    /// Marks the entries with these URLs as gone in the background, because their bytes need not be deleted any more.
    func strike(_ urls: [String]) {
        guard !urls.isEmpty else { return }
        queue.async { [self] in
            state.withLock { state in
                var listed = state.listed ?? Self.moments((try? read()) ?? [])
                let gone = urls.filter { listed.removeValue(forKey: $0) != nil }
                state.listed = listed
                state.unsaved.removeAll { gone.contains($0.url) }
                // If this write fails, the next `ferry check` finds that the bytes are gone and marks the entry.
                if !gone.isEmpty { try? append([Line(gone: gone)], safely: false) }
            }
        }
    }

    /// Returns the entries that are not gone and have not expired: first those in the file, then the unsaved ones.
    func all(now: Date) async -> [AbandonedUpload] {
        await onQueue { [self] in
            state.withLock { state in
                let saved = (try? read()) ?? []
                let all = saved + state.unsaved
                state.listed = Self.moments(all)
                return all.filter { $0.expires.map { $0 > now } ?? true }
            }
        }
    }

    /// Waits until the earlier calls of `add` and `strike` have written to the file, or have failed to do so.
    func flush() async { await onQueue {} }

    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    private func write(_ uploads: [AbandonedUpload], in state: inout State) {
        var listed = state.listed ?? Self.moments((try? read()) ?? [])
        for upload in uploads where listed[upload.url].map({ upload.since < $0 }) ?? true {
            listed[upload.url] = upload.since
            state.unsaved.append(upload)
        }
        state.listed = listed
        guard !state.unsaved.isEmpty else { return }
        do {
            if try length() > Self.usualLength {
                try rewrite(try read() + state.unsaved)
            } else {
                try append(state.unsaved.map { Line(kept: KeptLine($0)) }, safely: true)
            }
            state.unsaved = []
        } catch {
            state.unsaved = state.unsaved.suffix(Self.limit)
        }
    }

    private static func moments(_ uploads: [AbandonedUpload]) -> [String: Date] {
        Dictionary(uploads.map { ($0.url, $0.since) }) { _, last in last }
    }

    private func length() throws -> Int {
        guard let directory = try StateDirectory(reading: folder) else { return 0 }
        return try directory.files.open(Self.name, for: .reading)?.length() ?? 0
    }

    /// Reads the last `limit` entries that are not gone. Lines that cannot be decoded are skipped. A missing file
    /// counts as empty, and so does one that is longer than `longestFile`.
    private func read() throws -> [AbandonedUpload] {
        guard let file = try StateDirectory(reading: folder)?.files.open(Self.name, for: .reading),
            try file.length() <= Self.longestFile
        else { return [] }
        let content = try file.content()
        let decoder = JSONDecoder()
        var order: [String] = []
        var known: [String: AbandonedUpload] = [:]
        for bytes in content.split(separator: 0x0A) {
            guard let line = try? decoder.decode(Line.self, from: Data(bytes)) else { continue }
            if let kept = line.kept?.abandoned, known.updateValue(kept, forKey: kept.url) == nil {
                order.append(kept.url)
            }
            for url in line.gone ?? [] { known[url] = nil }
        }
        // An entry that was marked as gone and then added again has the position of its last line.
        return order.reversed().compactMap { known.removeValue(forKey: $0) }.prefix(Self.limit).reversed()
    }

    private func append(_ lines: [Line], safely: Bool) throws {
        let files = try StateDirectory(at: folder).files
        let file = try files.openOrCreate(Self.name)
        try file.append(Self.bytes(lines))
        guard safely else { return }
        try file.synchronize()
        try files.synchronize()
    }

    private func rewrite(_ uploads: [AbandonedUpload]) throws {
        let bytes = Self.bytes(uploads.suffix(Self.limit).map { Line(kept: KeptLine($0)) })
        try StateDirectory(at: folder).files.directory.replace(
            LocalPath(Self.name), with: bytes, draft: LocalPath("\(Self.name).new"))
    }

    private static func bytes(_ lines: [Line]) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return lines.reduce(into: []) { bytes, line in
            guard let data = try? encoder.encode(line), data.count <= longestLine else { return }
            // The first line break ends an incomplete line that a killed process may have left.
            bytes += [0x0A] + data + [0x0A]
        }
    }
}

/// The JSON form of an abandoned upload in the file `abandoned.jsonl`. Older versions of Ferry can read only this form.
private struct KeptLine: Codable {
    struct Kept: Codable {
        var id: Upload.ID
        var rank: Int64
        var path: LocalPath
        var identity: FileIdentity
        var target: Upload.Target
        /// Always the state `queued`, and not used: older versions of Ferry require the member.
        var state: [String: [String: String]] = ["queued": [:]]
        var resource: UploadResource?
        var added: Date
        var batch: String?
    }

    var upload: Kept
    var since: Date

    init(_ abandoned: AbandonedUpload) {
        let upload = abandoned.upload
        self.upload = Kept(
            id: upload.id, rank: upload.rank, path: upload.path, identity: upload.identity,
            target: upload.target, resource: upload.resource, added: upload.added, batch: upload.batch)
        since = abandoned.since
    }

    var abandoned: AbandonedUpload? {
        AbandonedUpload(
            Upload(
                id: upload.id, rank: upload.rank, path: upload.path, identity: upload.identity,
                target: upload.target, resource: upload.resource, added: upload.added, batch: upload.batch),
            since: since)
    }
}
