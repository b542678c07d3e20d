import struct Foundation.Data
import struct Foundation.Date

/// What a resumable upload remembers beside its address: a few short words, since each change is journaled.
extension Resource {
    private enum Field {
        static let interop = "interop"
        static let limit = "limit"
        static let largestAppend = "append"
        static let digest = "digest"
    }

    /// A server that names a time further away than this, in seconds, means "for ever".
    private static let longestAge: ByteCount = 10 * 366 * 86_400

    /// The version that the upload was made in; nil for any other protocol's resource.
    var interop: InteropVersion? {
        get { fields[Field.interop].flatMap { Int($0) }.flatMap(InteropVersion.init(rawValue:)) }
        set { fields[Field.interop] = newValue.map { "\($0.rawValue)" } }
    }

    /// The limits that the server told last.
    var limit: UploadLimit? { fields[Field.limit].flatMap { UploadLimit($0) } }

    /// What was found out about the size of an append, by being refused.
    var largestAppend: ByteCount? {
        get { fields[Field.largestAppend].flatMap { ByteCount($0) } }
        set { fields[Field.largestAppend] = newValue.map { "\($0)" } }
    }

    /// Of the whole file, as it was told to the server.
    var ownDigest: [UInt8]? {
        get { fields[Field.digest].flatMap { Data(base64Encoded: $0) }.map { Array($0) } }
        set { fields[Field.digest] = newValue.map { Data($0).base64EncodedString() } }
    }

    /// Keeps the limits, and until when the server keeps the upload.
    mutating func take(_ told: UploadLimit?) {
        guard var told else { return }
        if let age = told.age { expires = Date().addingTimeInterval(Double(min(age, Self.longestAge))) }
        told.age = nil
        let hasLimits = told.maximumAppend != nil || told.minimumAppend ?? 0 > 0
        told.maximumSize = nil
        told.minimumSize = nil
        fields[Field.limit] = hasLimits ? told.header() : nil
    }
}
