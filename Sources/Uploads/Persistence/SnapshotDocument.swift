import FerryProtocols

/// A snapshot that a user has possibly edited. The checksum, the white space and the order do not matter.
struct SnapshotDocument {
    var header: SnapshotHeader
    var records: [(upload: Upload, unknown: UnknownFields)] = []

    /// Throws `MalformedJSON` if the text does not describe a queue, or contains an impossible value.
    init(_ content: [UInt8]) throws(MalformedJSON) {
        (header, records) = try content.withUnsafeBufferPointer { bytes throws(MalformedJSON) in
            var scanner = JSONScanner(bytes)
            do throws(MalformedJSON) {
                return try scanner.document()
            } catch {
                var error = error
                error.reason = "\(QueuePosition(of: error.position, in: bytes)): \(error.reason)"
                throw error
            }
        }
        records.sort { $0.upload.id < $1.upload.id }
        if let last = records.last { header.settings.reserve(last.upload.id) }
    }
}

extension JSONScanner {
    fileprivate mutating func document() throws(MalformedJSON) -> (
        SnapshotHeader, [(upload: Upload, unknown: UnknownFields)]
    ) {
        var header = try header()
        if let issue = header.settings.issue { throw malformed(issue) }
        var records: [(upload: Upload, unknown: UnknownFields)] = []
        var last = RepeatedTarget()
        var ids: Set<Upload.ID> = []
        var ranks: Set<Int64> = []
        while try element() {
            let (upload, unknown) = try upload(last: &last)
            if let issue = upload.issue { throw malformed(issue) }
            guard ids.insert(upload.id).inserted else {
                throw malformed("the id \(upload.id) is there twice")
            }
            guard ranks.insert(upload.rank).inserted else {
                throw malformed("the rank \(upload.rank) is there twice")
            }
            records.append((upload, unknown))
        }
        while let key = try key() {
            switch key {
            case "count", "crc32c": try skipValue()
            default: try keepMember(key, in: &header.unknown)
            }
        }
        skipWhitespace()
        guard isAtEnd else { throw malformed("text after the end") }
        return (header, records)
    }
}

extension QueueSettings {
    fileprivate var issue: String? {
        switch true {
        case !Self.slotCounts.contains(concurrency ?? 1):
            "expected a concurrency from 1 to \(Self.slotCounts.upperBound)"
        case !limits.values.allSatisfy({ $0.rate ?? 1 > 0 }): "expected limits of 1 or more bytes per second"
        case !(1...Int(1) << 53).contains(nextID): "expected a nextID from 1 to 2^53"
        default: nil
        }
    }
}

extension Upload {
    fileprivate var issue: String? {
        // The queue adds to these numbers, so they must be far from an overflow.
        let countable = 0...Int(1) << 53
        let counts = [
            tries.attempts, tries.network, tries.server, tries.authentication, tries.resumes, tries.changes,
            tries.uncertain,
        ]
        let bytes: ClosedRange<ByteCount> = 0...1 << 60
        return switch true {
        case !countable.contains(id): "expected an id from 0 to 2^53"
        case rank.magnitude > 1 << 60: "expected a rank whose size is at most 2^60"
        case path.bytes.first != UInt8(ascii: "/"): "expected a path that begins with /"
        case !bytes.contains(size): "expected a size from 0 to 2^60"
        case confirmed < 0: "expected a number of confirmed bytes, 0 or more"
        case confirmed > size: "more bytes are confirmed than the file has"
        case !counts.allSatisfy(countable.contains): "expected tries from 0 to 2^53"
        case !bytes.contains(tries.resent): "expected bytes sent again from 0 to 2^60"
        case !bytes.contains(tries.sent): "expected sent bytes from 0 to 2^60"
        case !(tries.delay >= 0 && tries.delay.isFinite): "expected a delay of 0 or more seconds"
        case batch.flatMap(Upload.issue(ofBatch:)) != nil:
            "expected a batch of 1 to \(Upload.longestBatchName) characters"
        case !(start?.after ?? []).allSatisfy({ 0 <= $0.lowerBound && $0.upperBound < id }):
            "expected numbers after which it starts that are below its own"
        case ProtocolCatalog.entry(named: target.protocolName) == nil:
            "expected a method that is one of \(ProtocolCatalog.names.joined(separator: ", "))"
        default: nil
        }
    }
}
