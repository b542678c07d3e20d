import Transfer

/// A snapshot read without trust in its layout or checksum: whitespace, order and line breaks as an editor left them.
struct SnapshotDocument {
    var header: SnapshotHeader
    /// In ascending order of ids.
    var records: [(upload: Upload, unknown: UnknownMembers)] = []

    /// - Throws: What is wrong, if it is not valid JSON, not a queue, or describes one that cannot be.
    init(_ content: [UInt8]) throws(MalformedJSON) {
        (header, records) = try content.withUnsafeBufferPointer { bytes throws(MalformedJSON) in
            var cursor = JSONCursor(bytes)
            return try cursor.document()
        }
        records.sort { $0.upload.id < $1.upload.id }
        for (first, second) in zip(records, records.dropFirst()) where first.upload.id == second.upload.id {
            throw MalformedJSON(position: 0, reason: "the id \(first.upload.id) is there twice")
        }
        if let last = records.last { header.settings.reserve(last.upload.id) }
    }
}

extension JSONCursor {
    fileprivate mutating func document() throws(MalformedJSON) -> (
        SnapshotHeader, [(upload: Upload, unknown: UnknownMembers)]
    ) {
        var header = try header()
        var records: [(upload: Upload, unknown: UnknownMembers)] = []
        var texts = RepeatedTexts()
        var isFirst = true
        while try element(isFirst: &isFirst) {
            let (upload, unknown) = try upload(texts: &texts)
            guard upload.id >= 0, upload.size >= 0, upload.confirmed >= 0, !upload.path.bytes.isEmpty else {
                throw malformed("upload \(upload.id) has a negative number or no path")
            }
            records.append((upload, unknown))
        }
        isFirst = false
        while let key = try key(isFirst: &isFirst) {
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
