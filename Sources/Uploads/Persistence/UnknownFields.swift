import FerryProtocols

/// The unknown members of an upload's record, as text such as `,"name":value` for each of its JSON objects.
struct UnknownFields: Hashable, Sendable {
    var upload: [UInt8] = []
    var file: [UInt8] = []
    var target: [UInt8] = []
    var tries: [UInt8] = []
    /// The unknown members of the state, which are written again only to a state of the same kind.
    var state = OfPart()
    /// The unknown members of the upload resource, which are written again only to one with the same URL.
    var resource = OfPart()

    struct OfPart: Hashable, Sendable {
        /// The kind of the state, or the URL of the upload resource.
        var name = ""
        var members: [UInt8] = []
    }

    var isEmpty: Bool {
        upload.isEmpty && file.isEmpty && target.isEmpty && tries.isEmpty && state.members.isEmpty
            && resource.members.isEmpty
    }
}

extension JSONScanner {
    /// Appends the unknown member whose key was read to `members`, with its value but without line breaks.
    mutating func keepMember(_ key: Key, in members: inout [UInt8]) throws(MalformedJSON) {
        let value = try skipValue()
        members.append(contentsOf: ",\"".utf8)
        members.append(contentsOf: key.bytes)
        members.append(contentsOf: "\":".utf8)
        // Line breaks between tokens, which an editor may leave, would end the record.
        members.append(contentsOf: bytes[value].lazy.filter { $0 != 0x0A && $0 != 0x0D })
    }
}
