import FerryProtocols

/// The JSON members of an upload's record that this version of Ferry does not know. Each property contains their text,
/// such as `,"name":value`, for one JSON object of the record. When the record is written again, the text is added to
/// the same object.
struct UnknownFields: Hashable, Sendable {
    var upload: [UInt8] = []
    var file: [UInt8] = []
    var target: [UInt8] = []
    var tries: [UInt8] = []
    /// The unknown members of the upload's state, with the kind of this state (such as `held`). They are not written if
    /// the upload now has a state of another kind.
    var state = OfState()
    /// The unknown members of the upload resource, with the URL of this resource. They are not written if the upload
    /// now has a resource with another URL.
    var resource = OfResource()

    struct OfState: Hashable, Sendable {
        var kind = ""
        var members: [UInt8] = []
    }

    struct OfResource: Hashable, Sendable {
        var url = ""
        var members: [UInt8] = []
    }

    var isEmpty: Bool {
        upload.isEmpty && file.isEmpty && target.isEmpty && tries.isEmpty && state.members.isEmpty
            && resource.members.isEmpty
    }
}

extension JSONScanner {
    /// Reads the value of an unknown JSON member, and appends the member with its value to `members`. Leaves out line
    /// breaks. The caller must have read the key before.
    mutating func keepMember(_ key: Key, in members: inout [UInt8]) throws(MalformedJSON) {
        let value = try skipValue()
        members.append(contentsOf: ",\"".utf8)
        members.append(contentsOf: key.bytes)
        members.append(contentsOf: "\":".utf8)
        // Line breaks between tokens, which an editor may leave, would end the record.
        members.append(contentsOf: bytes[value].lazy.filter { $0 != 0x0A && $0 != 0x0D })
    }
}
