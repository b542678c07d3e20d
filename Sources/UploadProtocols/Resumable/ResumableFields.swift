package import HTTPTypes

extension HTTPField.Name {
    /// The Boolean field for the end of an upload, in a request or in the server's report.
    package static let uploadComplete = named("Upload-Complete")
    /// The field that interop versions up to 3 use instead of `Upload-Complete`, with the opposite value.
    package static let uploadIncomplete = named("Upload-Incomplete")
    /// The field with the server's limits, such as the maximum size of a file and the lifetime of an upload.
    package static let uploadLimit = named("Upload-Limit")
    /// The field with the version of the draft (`InteropVersion`), in every request until the draft becomes an RFC.
    package static let uploadDraftInteropVersion = named("Upload-Draft-Interop-Version")
}

/// The interop versions of draft-ietf-httpbis-resumable-upload. The drafts of a version have the same format.
package enum InteropVersion: Int, Comparable, CaseIterable, Sendable {
    /// Draft -01.
    case three = 3
    /// Draft -03.
    case five = 5
    /// Drafts -04 and -05.
    case six = 6
    /// Drafts -09 to -11 and the editor's copy of 2026.
    case eight = 8

    /// Parses a value of `Upload-Draft-Interop-Version`; nil if it is missing, malformed or unsupported.
    package init?(field: String?) {
        guard let number = StructuredField.count(field) else { return nil }
        self.init(rawValue: Int(number))
    }

    /// The header fields of every request of this version.
    package var fields: HTTPFields { [.uploadDraftInteropVersion: "\(rawValue)"] }

    /// True for versions that have digests, `Upload-Length`, and a media type for `PATCH` requests that append bytes.
    package var isTyped: Bool { self >= .six }

    /// Sets `Upload-Complete`, or in version 3 its opposite `Upload-Incomplete`.
    package func write(isComplete: Bool, to fields: inout HTTPFields) {
        let isThree = self == .three
        fields[isThree ? .uploadIncomplete : .uploadComplete] = isComplete != isThree ? "?1" : "?0"
    }

    package static func < (lhs: InteropVersion, rhs: InteropVersion) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// The content of a `PATCH` request that appends bytes to an upload, from interop version 6 on.
package enum PartialUpload {
    /// The media type of the content of a `PATCH` request that appends bytes.
    package static let mediaType = "application/partial-upload"
}
