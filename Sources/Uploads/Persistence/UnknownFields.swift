import FerryProtocols

/// Members of an upload's record that this version does not know, as they stand in the file: `,"name":value…`.
///
/// They are written back with the object they were found in for as long as that object lives.
struct UnknownFields: Hashable, Sendable {
    var upload: [UInt8] = []
    var file: [UInt8] = []
    var target: [UInt8] = []
    var tries: [UInt8] = []
    /// Belong to the state of this kind and go when the upload leaves it.
    var state = OfState()
    /// Belong to the resource with this address and go when the server gives another.
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
    /// Passes over the value of an unknown member and keeps it. Call when its key has been read.
    mutating func keepMember(_ key: Key, in members: inout [UInt8]) throws(MalformedJSON) {
        let value = try skipValue()
        members.append(contentsOf: ",\"".utf8)
        members.append(contentsOf: key.bytes)
        members.append(contentsOf: "\":".utf8)
        // Line breaks between tokens, as an editor leaves them, would end the record.
        members.append(contentsOf: bytes[value].lazy.filter { $0 != 0x0A && $0 != 0x0D })
    }
}
