public import FerryProtocols
public import FerryTransfer
import Synchronization

/// A store of the servers' capabilities in the file `capabilities.json` of the state folder. Each process reads a
/// replaced file again, a second later at the latest, so no process needs a lock. Capabilities that cannot be written
/// stay in memory.
public final class CapabilityFile: CapabilityStore {
    static let name = "capabilities.json"
    private static let version = 1
    private static let sizeLimit = 1 << 20
    /// The maximum number of entries. Without a limit, URLs that were used only once would accumulate.
    private static let entryLimit = 500
    /// The time between two looks at the file: thousands of small uploads ask for capabilities.
    private static let interval = Duration.seconds(1)

    private struct Document: Codable {
        var version: Int
        var entries: [Entry]
    }

    private struct Entry: Codable {
        var key: CapabilityKey
        var capabilities: ServerCapabilities

        private enum CodingKeys: String, CodingKey {
            case key = "place"
            case capabilities
        }
    }

    private typealias Known = [CapabilityKey: ServerCapabilities]

    private struct Memory {
        /// The capabilities that could not be written to the file. The next write tries again to store them.
        var unsaved: Known = [:]
        /// The identity (nil for a missing file) and content of the file at the last reading. It is read again only
        /// when its identity changes.
        var read: (file: FileIdentity?, known: Known) = (nil, [:])
        /// The time when the file's identity was last compared; nil after a write.
        var examined: ContinuousClock.Instant?
    }

    private let folder: LocalPath
    private let path: LocalPath
    private let memory = Mutex(Memory())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Creates a store. The file is not opened or created before the first read or write.
    public convenience init(folder: LocalPath) { self.init(folder: folder) { .now } }

    init(folder: LocalPath, now: @escaping @Sendable () -> ContinuousClock.Instant) {
        self.folder = folder
        self.now = now
        path = folder.appending(Array(Self.name.utf8))
    }

    public func capabilities(of place: CapabilityKey) -> ServerCapabilities? {
        memory.withLock { $0.unsaved[place] ?? known(in: &$0)[place] }
    }

    public func keep(_ capabilities: Redacted<ServerCapabilities>, of place: CapabilityKey) {
        memory.withLock { memory in
            memory.unsaved[place] = capabilities.value
            memory.examined = nil
            let all = known(in: &memory).merging(memory.unsaved) { _, new in new }
            guard let (kept, data) = try? Self.content(of: all) else { return }
            memory.unsaved = write(data) ? [:] : memory.unsaved.filter { kept.contains($0.key) }
            memory.examined = nil
        }
    }

    private func known(in memory: inout Memory) -> Known {
        let now = now()
        if let examined = memory.examined, now - examined < Self.interval { return memory.read.known }
        memory.examined = now
        let file = FileStatus.of(path, follows: true)?.identity
        if memory.read.file != file { memory.read = (file, file == nil ? [:] : read()) }
        return memory.read.known
    }

    private func read() -> Known {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let files = try? StateDirectory(at: folder).files,
            let file = try? files.open(Self.name, for: .reading),
            let length = try? file.length(), length <= Self.sizeLimit,
            let content = try? file.content(),
            let document = try? decoder.decode(Document.self, from: Data(content)),
            document.version == Self.version
        else { return [:] }
        return Dictionary(document.entries.map { ($0.key, $0.capabilities) }) { _, last in last }
    }

    /// Returns the content of the file for the youngest entries, and their keys. If they have no room in the file, the
    /// largest are left out: a server decides how large its entry is, and must not displace the entries of others.
    private static func content(of known: Known) throws -> (keys: Set<CapabilityKey>, Data) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        encoder.dateEncodingStrategy = .iso8601
        func encoded(_ entries: [Entry]) throws -> Data {
            try encoder.encode(Document(version: version, entries: entries))
        }
        let youngest = known.sorted { ($0.value.asked ?? .distantPast) > ($1.value.asked ?? .distantPast) }
        var entries = youngest.prefix(entryLimit).map { Entry(key: $0.key, capabilities: $0.value) }
        var data = try encoded(entries)
        if data.count > sizeLimit {
            var room = sizeLimit
            entries = try entries.map { ($0, size: try encoded([$0]).count) }.sorted { $0.size < $1.size }
                .prefix {
                    room -= $0.size
                    return room >= 0
                }.map(\.0)
            data = try encoded(entries)
        }
        return (Set(entries.map(\.key)), data)
    }

    private func write(_ data: Data) -> Bool {
        guard let files = try? StateDirectory(at: folder).files else { return false }
        // Another process may write at the same moment, so each writes a draft of its own and renames it.
        let draft = LocalPath("\(Self.name).\(Machine.process)")
        return (try? files.directory.replace(LocalPath(Self.name), with: Array(data), draft: draft)) != nil
    }
}
