import FerryProtocols

/// The members of an upload's record that this version does not know, as they stand in the file: `,"name":value…`.
///
/// They are written back with the JSON object in which they were found, as long as that object exists.
struct UnknownFields: Hashable, Sendable {
    var upload: [UInt8] = []
    var file: [UInt8] = []
    var target: [UInt8] = []
    var tries: [UInt8] = []
    /// The unknown members of the state's JSON object, and the kind of that state (such as `held`). They are dropped
    /// when the upload gets a state of another kind.
    var state = OfState()
    /// The unknown members of the resource, with its URL. They are dropped when the server returns another resource.
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
    /// Skips the value of an unknown member, and appends the member to `members`. Call this after reading its key.
    mutating func keepMember(_ key: Key, in members: inout [UInt8]) throws(MalformedJSON) {
        let value = try skipValue()
        members.append(contentsOf: ",\"".utf8)
        members.append(contentsOf: key.bytes)
        members.append(contentsOf: "\":".utf8)
        // Line breaks between tokens, which an editor may leave, would end the record.
        members.append(contentsOf: bytes[value].lazy.filter { $0 != 0x0A && $0 != 0x0D })
    }
}
