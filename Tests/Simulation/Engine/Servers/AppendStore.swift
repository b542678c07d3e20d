import FerryProtocols
import FerryTestSupport
import FerryUploads

/// The uploads of a server that appends to them: tus and resumable uploads of the IETF draft.
struct AppendStore {
    struct Entry {
        var owner: Upload.ID
        var size: ByteCount?
        var content = Content()
        /// The highest offset that a response has confirmed.
        var confirmed: ByteCount = 0
        /// The number of the request whose bytes are stored; nil if there is none.
        var taker: Int?
        var isComplete = false
    }

    private(set) var entries: [String: Entry] = [:]
    private var lastNumber = 0

    subscript(url: String) -> Entry? { entries[url] }

    mutating func make(at place: String, owner: Upload.ID, size: ByteCount?) -> String {
        lastNumber += 1
        let url = "\(place)u\(lastNumber)"
        entries[url] = Entry(owner: owner, size: size, isComplete: size == 0)
        return url
    }

    mutating func remove(_ url: String) { entries[url] = nil }
    mutating func complete(_ url: String) { entries[url]?.isComplete = true }

    /// Makes the request `number` the only one whose bytes are stored.
    ///
    /// - Returns: False if the offset is wrong or the upload is complete.
    mutating func take(_ url: String, at offset: ByteCount?, by number: Int) -> Bool {
        guard let entry = entries[url], !entry.isComplete, entry.content.count == offset else { return false }
        entries[url]?.taker = number
        return true
    }

    mutating func endTaking(_ url: String) { entries[url]?.taker = nil }

    mutating func append(_ content: Content, to url: String, by number: Int) {
        guard entries[url]?.taker == number else { return }
        entries[url]?.content.append(content)
        if let entry = entries[url], entry.content.count == entry.size { entries[url]?.isComplete = true }
    }

    /// Returns the offset for a response, and records it as confirmed.
    mutating func confirm(_ url: String) -> ByteCount {
        guard let entry = entries[url] else { return 0 }
        entries[url]?.confirmed = entry.content.count
        return entry.content.count
    }

    func holds(_ content: Content, of owner: Upload.ID) -> Bool {
        entries.values.contains { $0.owner == owner && $0.isComplete && $0.content == content }
    }

    func hasWhole(of owner: Upload.ID, size: ByteCount) -> Bool {
        entries.values.contains { $0.owner == owner && $0.isComplete && $0.content.count == size }
    }

    /// Loses bytes as `Service.crash` describes.
    mutating func crash(isForgetful: Bool, _ random: inout SeededGenerator) -> [Upload.ID] {
        var losers: [Upload.ID] = []
        for url in entries.keys.sorted() {
            guard var entry = entries[url], !entry.isComplete else { continue }
            entry.taker = nil
            if isForgetful, random.happens(20) {
                losers.append(entry.owner)
                entries[url] = nil
                continue
            }
            let least = isForgetful ? 0 : min(entry.confirmed, entry.content.count)
            let kept = ByteCount.random(in: least...entry.content.count, using: &random)
            if kept < entry.confirmed { losers.append(entry.owner) }
            entry.content = entry.content.prefix(kept)
            entry.confirmed = min(entry.confirmed, kept)
            entries[url] = entry
        }
        return losers
    }
}
