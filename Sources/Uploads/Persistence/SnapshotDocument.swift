import Transfer
import UploadProtocols

/// A snapshot read without trust in its layout or checksum: whitespace, order and line breaks as an editor left them.
struct SnapshotDocument {
    var header: SnapshotHeader
    /// In ascending order of ids.
    var records: [(upload: Upload, unknown: UnknownMembers)] = []

    /// - Throws: What is wrong and where, if it is not valid JSON, not a queue, or describes one that cannot be.
    init(_ content: [UInt8]) throws(MalformedJSON) {
        (header, records) = try content.withUnsafeBufferPointer { bytes throws(MalformedJSON) in
            var cursor = JSONCursor(bytes)
            do throws(MalformedJSON) {
                return try cursor.document()
            } catch {
                var error = error
                error.reason = "\(JSONPlace(of: error.position, in: bytes).text): \(error.reason)"
                throw error
            }
        }
        records.sort { $0.upload.id < $1.upload.id }
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
        var ids: Set<Upload.ID> = []
        var ranks: Set<Int64> = []
        var isFirst = true
        while try element(isFirst: &isFirst) {
            let (upload, unknown) = try upload(texts: &texts)
            if let flaw = upload.flaw { throw malformed(flaw) }
            guard ids.insert(upload.id).inserted else {
                throw malformed("the id \(upload.id) is there twice")
            }
            guard ranks.insert(upload.rank).inserted else {
                throw malformed("the rank \(upload.rank) is there twice")
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

extension Upload {
    /// What makes a record impossible that somebody wrote by hand; nil if it could be one of ours.
    fileprivate var flaw: String? {
        // The queue goes on counting from these numbers.
        let countable = 0...Int(1) << 53
        let counts = [tries.attempts, tries.network, tries.server, tries.authentication, tries.resumes]
        return switch true {
        case !countable.contains(id): "expected an id from 0 to 2^53"
        case rank.magnitude > 1 << 60: "expected a rank whose size is at most 2^60"
        case path.bytes.first != UInt8(ascii: "/"): "expected a path that begins with /"
        case size < 0: "expected a size of 0 or more"
        case confirmed < 0: "expected a number of confirmed bytes, 0 or more"
        case confirmed > size: "more bytes are confirmed than the file has"
        case !counts.allSatisfy(countable.contains), tries.resent < 0:
            "expected tries that are 0 or more"
        case !(tries.delay >= 0 && tries.delay.isFinite): "expected a delay of 0 or more seconds"
        case ProtocolCatalog.entry(named: target.method) == nil:
            "expected a method that is one of \(ProtocolCatalog.names.joined(separator: ", "))"
        default: nil
        }
    }
}
