import FerryProtocols

/// The JSON members that precede the uploads in a snapshot.
struct SnapshotHeader: Hashable, Sendable {
    static let format = "ferry-queue"
    static let version = 1

    /// The generation (running number) of the snapshot, and of the first journal with later changes.
    var generation: Int
    /// The number of the last journal record whose changes the snapshot contains.
    var lastSequence: Int
    var settings = QueueSettings()
    var unknownSettings: [UInt8] = []
    /// The operations of a newer version that this one skipped, as JSON objects separated by commas.
    var skipped: [UInt8] = []
    /// The members that this version of Ferry does not know, as JSON text: `,"name":value…`.
    var unknown: [UInt8] = []
}

extension JSONWriter {
    /// Appends the first line of a snapshot. The line ends with the opening bracket of the JSON array `uploads`.
    mutating func header(_ header: SnapshotHeader, savedAt: Date) {
        member("{\"format\":", SnapshotHeader.format)
        member(",\"version\":", SnapshotHeader.version)
        member(",\"minReader\":", SnapshotHeader.version)
        member(",\"generation\":", header.generation)
        member(",\"lastSequence\":", header.lastSequence)
        member(",\"savedAt\":", savedAt)
        raw(",\"settings\":")
        settings(header.settings, unknown: header.unknownSettings)
        if !header.skipped.isEmpty {
            raw(",\"skipped\":[")
            raw(header.skipped)
            raw("]")
        }
        raw(header.unknown)
        raw(",\"uploads\":[\n")
    }

    /// Appends the last line of a snapshot. `checksum` is that of all earlier lines.
    mutating func trailer(count: Int, after checksum: CRC32C) {
        let start = bytes.count
        member("],\"count\":", count)
        var checksum = checksum
        bytes[start...].withUnsafeBytes { checksum.update($0) }
        raw(",\"crc32c\":\"")
        raw(Self.hexadecimal(checksum.value))
        raw("\"}\n")
    }
}

extension JSONScanner {
    /// Reads a snapshot up to the bracket that opens the uploads. With `readsNewer`, also that of a newer format.
    mutating func header(readsNewer: Bool = false) throws(MalformedJSON) -> SnapshotHeader {
        var format: String?
        var minReader: Int?
        var generation: Int?
        var lastSequence: Int?
        var settings: (settings: QueueSettings, unknown: [UInt8])?
        var skipped: [UInt8] = []
        var unknown: [UInt8] = []
        try expect("{")
        while let key = try key() {
            switch key {
            case "format": try format.fill(string(), at: position)
            case "minReader":
                let version: Int = try integer()
                try minReader.fill(version, at: position)
                guard readsNewer || version <= SnapshotHeader.version else {
                    throw newer("version \(version) of the format, this is \(SnapshotHeader.version)")
                }
            case "generation": try generation.fill(integer(), at: position)
            case "lastSequence": try lastSequence.fill(integer(), at: position)
            case "settings": try settings.fill(self.settings(), at: position)
            case "skipped":
                let range = try skipValue()
                guard bytes[range.lowerBound] == UInt8(ascii: "[") else { throw malformed("expected '['") }
                skipped = bytes[range].dropFirst().dropLast().filter { $0 != 0x0A && $0 != 0x0D }
            case "version", "savedAt": try skipValue()
            case "uploads":
                try expect("[")
                guard try require(format, "format") == SnapshotHeader.format else {
                    throw malformed("this is not a queue")
                }
                _ = try require(minReader, "minReader")
                let read = try require(settings, "settings")
                let header = SnapshotHeader(
                    generation: try require(generation, "generation"),
                    lastSequence: try require(lastSequence, "lastSequence"), settings: read.settings,
                    unknownSettings: read.unknown, skipped: skipped, unknown: unknown)
                // The journal adds to these numbers, so they must be far from an overflow.
                guard (1...Int(1) << 53).contains(header.generation),
                    (0...Int(1) << 53).contains(header.lastSequence)
                else { throw malformed("number out of range") }
                return header
            default: try keepMember(key, in: &unknown)
            }
        }
        throw malformed("the member uploads is missing")
    }
}
