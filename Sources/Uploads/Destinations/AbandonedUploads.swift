import Dispatch
import FerryFiles
import FerryProtocols
public import FerryTransfer
import Synchronization

/// `abandoned.jsonl` in the state folder: what servers may still hold of uploads that were given up. Their addresses are
/// known to nobody else, as most servers list nothing.
///
/// Lines are added and none is changed, so that `ferry check` can strike one out while an engine adds others. Only
/// whoever has the queue adds, and makes the file short again. Nothing depends on it: what cannot be written is
/// forgotten with the process.
public final class AbandonedUploads: Sendable {
    static let name = "abandoned.jsonl"
    /// The most entries that anybody goes through; the oldest are forgotten.
    static let limit = 1000
    /// Bytes. A longer file is written anew, without what was struck out.
    private static let usualLength = 4 << 20
    private static let longestFile = 64 << 20
    /// Bytes. What has so many parts is listed by its server.
    private static let longestLine = 64 << 10

    private struct Line: Codable {
        var kept: KeptLine?
        /// Addresses of what is there no more.
        var gone: [String]?
    }

    private struct State {
        /// Addresses that are not struck out, and since when they are there; nil until the file was read.
        var listed: [String: Date]?
        var unsaved: [AbandonedUpload] = []
    }

    private let folder: LocalPath
    private let state = Mutex(State())
    /// The queue does not wait for the disk, and what it says is written in its order.
    private let queue = DispatchQueue(label: "abandoned", qos: .utility)

    /// - Parameter folder: The state folder; nothing is opened or made before there is something to write.
    public init(folder: LocalPath) { self.folder = folder }

    /// Writes them down after this has returned.
    func add(_ uploads: [AbandonedUpload]) {
        guard !uploads.isEmpty else { return }
        queue.async { [self] in state.withLock { write(uploads, in: &$0) } }
    }

    /// Strikes out what is there no more, or belongs to the queue again, after this has returned.
    func strike(_ urls: [String]) {
        guard !urls.isEmpty else { return }
        queue.async { [self] in
            state.withLock { state in
                var listed = state.listed ?? Self.moments(read())
                let gone = urls.filter { listed.removeValue(forKey: $0) != nil }
                state.listed = listed
                state.unsaved.removeAll { gone.contains($0.url) }
                // Struck out by nobody else, it is found to be gone the next time.
                if !gone.isEmpty { try? append([Line(gone: gone)], safely: false) }
            }
        }
    }

    /// Returns the entries that are not struck out and that their servers have not dropped, the oldest first.
    func all(now: Date) async -> [AbandonedUpload] {
        await onQueue { [self] in
            state.withLock { state in
                let saved = read()
                let all = saved + state.unsaved
                state.listed = Self.moments(all)
                return all.filter { $0.expires.map { $0 > now } ?? true }
            }
        }
    }

    /// Waits until all is written.
    func flush() async { await onQueue {} }

    private func onQueue<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: body()) }
        }
    }

    private func write(_ uploads: [AbandonedUpload], in state: inout State) {
        var listed = state.listed ?? Self.moments(read())
        for upload in uploads where listed[upload.url].map({ upload.since < $0 }) ?? true {
            listed[upload.url] = upload.since
            state.unsaved.append(upload)
        }
        state.listed = listed
        guard !state.unsaved.isEmpty else { return }
        do {
            if try length() > Self.usualLength {
                try rewrite(read() + state.unsaved)
            } else {
                try append(state.unsaved.map { Line(kept: KeptLine($0)) }, safely: true)
            }
            state.unsaved = []
        } catch {
            state.unsaved = state.unsaved.suffix(Self.limit)
        }
    }
}

extension AbandonedUploads {
    private static func moments(_ uploads: [AbandonedUpload]) -> [String: Date] {
        Dictionary(uploads.map { ($0.url, $0.since) }) { _, last in last }
    }

    private func length() throws -> Int {
        guard let directory = try StateDirectory(reading: folder) else { return 0 }
        return try directory.files.open(Self.name, for: .reading)?.length() ?? 0
    }

    /// A file that cannot be read is taken for empty, a line that is not whole is passed over.
    private func read() -> [AbandonedUpload] {
        guard let files = try? StateDirectory(reading: folder)?.files,
            let file = try? files.open(Self.name, for: .reading),
            let length = try? file.length(), length <= Self.longestFile, let content = try? file.content()
        else { return [] }
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
        return order.compactMap { known.removeValue(forKey: $0) }.suffix(Self.limit)
    }

    private func append(_ lines: [Line], safely: Bool) throws {
        let files = try StateDirectory(at: folder).files
        let existing = try files.open(Self.name, for: .appending)
        let file = if let existing { existing } else { try files.create(Self.name) }
        try file.append(Self.bytes(lines))
        guard safely else { return }
        try file.synchronize()
        try files.synchronize()
    }

    private func rewrite(_ uploads: [AbandonedUpload]) throws {
        let files = try StateDirectory(at: folder).files
        let new = "\(Self.name).new"
        try files.remove(new)
        let file = try files.create(new)
        try file.append(Self.bytes(uploads.suffix(Self.limit).map { Line(kept: KeptLine($0)) }))
        try file.synchronize()
        try files.rename(new, to: Self.name)
        try files.synchronize()
    }

    private static func bytes(_ lines: [Line]) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return lines.reduce(into: []) { bytes, line in
            guard let data = try? encoder.encode(line), data.count <= longestLine else { return }
            // A killed process may have left a part of a line before this one.
            bytes += [0x0A] + data + [0x0A]
        }
    }
}

/// An abandoned upload as the file has it. Versions before records wrote all of its members so, and read no other form.
private struct KeptLine: Codable {
    struct Kept: Codable {
        var id: Upload.ID
        var rank: Int64
        var path: LocalPath
        var identity: FileIdentity
        var target: Upload.Target
        /// The state that older versions need: what happened says nothing of what is left.
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
