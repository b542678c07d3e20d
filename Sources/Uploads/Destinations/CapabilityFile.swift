public import FerryProtocols
public import FerryTransfer
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `capabilities.json` in the state folder. It needs no lock: it is replaced as a whole, and read anew when it was, so
/// that what `ferry check` finds out serves an engine that runs.
///
/// A file that cannot be read is taken for empty, one that cannot be written for the memory of this process.
public final class CapabilityFile: CapabilityStore {
    static let name = "capabilities.json"
    private static let version = 1
    private static let sizeLimit = 1 << 20
    /// Addresses that were used once would pile up.
    private static let entryLimit = 500

    private struct Document: Codable {
        var version: Int
        var entries: [Entry]
    }

    private struct Entry: Codable {
        var place: CapabilityPlace
        var capabilities: ServerCapabilities
    }

    private typealias Known = [CapabilityPlace: ServerCapabilities]

    private struct Memory {
        /// What could not be written.
        var unsaved: Known = [:]
        /// The file as it was read last: thousands of small uploads ask.
        var read: (file: FileIdentity, known: Known)?
    }

    private let folder: LocalPath
    private let memory = Mutex(Memory())

    /// - Parameter folder: The state folder; nothing is opened or made before something is kept or asked for.
    public init(folder: LocalPath) { self.folder = folder }

    public func capabilities(of place: CapabilityPlace) -> ServerCapabilities? {
        memory.withLock { $0.unsaved[place] ?? known(in: &$0)[place] }
    }

    public func keep(_ capabilities: ServerCapabilities, of place: CapabilityPlace) {
        memory.withLock { memory in
            memory.unsaved[place] = capabilities
            let all = known(in: &memory).merging(memory.unsaved) { _, new in new }
            if write(all) { memory.unsaved = [:] }
        }
    }

    private func known(in memory: inout Memory) -> Known {
        let file = try? SourceFile(folder.appending(Array(Self.name.utf8))).identity
        if let file, let last = memory.read, last.file == file { return last.known }
        let known = read()
        memory.read = file.map { ($0, known) }
        return known
    }

    private func read() -> Known {
        // Asking must not make the folder.
        guard FileManager.default.fileExists(atPath: folder.text),
            let files = try? StateDirectory(at: folder).files,
            let file = try? files.open(Self.name, for: .reading),
            let length = try? file.length(), length <= Self.sizeLimit,
            let content = try? file.content(),
            let document = try? Self.decoder.decode(Document.self, from: Data(content)),
            document.version == Self.version
        else { return [:] }
        return Dictionary(document.entries.map { ($0.place, $0.capabilities) }) { _, last in last }
    }

    private func write(_ known: Known) -> Bool {
        let youngest = known.sorted { ($0.value.asked ?? .distantPast) > ($1.value.asked ?? .distantPast) }
        let entries = youngest.prefix(Self.entryLimit).map { Entry(place: $0.key, capabilities: $0.value) }
        guard let data = try? Self.encoder.encode(Document(version: Self.version, entries: entries)),
            data.count <= Self.sizeLimit, let files = try? StateDirectory(at: folder).files
        else { return false }
        // Another process may write at the same moment: each has a file of its own until it is whole.
        let new = "\(Self.name).\(getpid())"
        do {
            try files.remove(new)
            let file = try files.create(new)
            try file.append(Array(data))
            try file.synchronize()
            try files.rename(new, to: Self.name)
            try files.synchronize()
            return true
        } catch {
            try? files.remove(new)
            return false
        }
    }

    private static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
