import FerryProtocols
import FerryTransfer

// An upload is encoded as one string: its record, as in the queue's files.

extension Upload: Codable {
    public init(from decoder: any Decoder) throws {
        var last = RepeatedTarget()
        self = try decoder.record { scanner throws(MalformedJSON) in try scanner.upload(last: &last).0 }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encodeRecord { $0.upload(self, unknown: nil) }
    }
}

extension NewUpload: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.record { scanner throws(MalformedJSON) in try scanner.newUpload() }
    }

    public func encode(to encoder: any Encoder) throws {
        try encoder.encodeRecord { $0.newUpload(self) }
    }
}

extension Decoder {
    fileprivate func record<Record>(
        _ read: (inout JSONScanner) throws(MalformedJSON) -> Record
    ) throws -> Record {
        let container = try singleValueContainer()
        var text = try container.decode(String.self)
        return try text.withUTF8 { bytes in
            var scanner = JSONScanner(bytes)
            do throws(MalformedJSON) { return try read(&scanner) } catch {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: error.reason)
            }
        }
    }
}

extension Encoder {
    fileprivate func encodeRecord(_ write: (inout JSONWriter) -> Void) throws {
        var writer = JSONWriter()
        write(&writer)
        var container = singleValueContainer()
        try container.encode(String(decoding: writer.bytes, as: UTF8.self))
    }
}
