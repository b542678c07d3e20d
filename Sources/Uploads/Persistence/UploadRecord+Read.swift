import FerryProtocols
import FerryTransfer

import struct Foundation.Date

extension JSONCursor {
    /// Reads the record of one upload, and apart from it the members this version does not know.
    mutating func upload(last: inout RepeatedTarget) throws(MalformedJSON) -> (Upload, UnknownMembers) {
        var unknown = UnknownMembers()
        var id: Int?
        var rank: Int64?
        var path: LocalPath?
        var identity: FileIdentity?
        var target: Upload.Target?
        var state: Upload.State?
        var resource: Resource?
        var tries: Upload.Tries?
        var added: Date?
        var batch: String?
        var notBefore: Date?
        var after: [ClosedRange<Upload.ID>]?
        var isFirst = true
        try expect("{")
        while let key = try key(isFirst: &isFirst) {
            switch key {
            case "id": try id.fill(integer(), at: position)
            case "rank": try rank.fill(integer(), at: position)
            case "path": try path.fill(self.path(), at: position)
            case "file": try identity.fill(self.identity(&unknown.file), at: position)
            case "to": try target.fill(self.target(&unknown.target, last: &last), at: position)
            case "state": try state.fill(self.state(&unknown.state), at: position)
            case "resource": try resource.fill(self.resource(&unknown.resource), at: position)
            case "tries": try tries.fill(self.tries(&unknown.tries), at: position)
            case "added": try added.fill(date(), at: position)
            case "batch": try batch.fill(string(), at: position)
            case "startsAt": try notBefore.fill(date(), at: position)
            case "after": try after.fill(ranges(), at: position)
            default: try keepMember(key, in: &unknown.upload)
            }
        }
        var upload = Upload(
            id: try require(id, "id"), rank: try require(rank, "rank"), path: try require(path, "path"),
            identity: try require(identity, "file"), target: try require(target, "to"),
            state: try require(state, "state"), resource: resource, tries: tries ?? Upload.Tries(),
            added: try require(added, "added"))
        if batch != nil || notBefore != nil || after != nil {
            upload.batch = batch
            upload.start = Upload.StartCondition(notBefore: notBefore, after: after ?? [])
            last.share(&upload)
        }
        return (upload, unknown)
    }

    private mutating func ranges() throws(MalformedJSON) -> [ClosedRange<Upload.ID>] {
        var ranges: [ClosedRange<Upload.ID>] = []
        var isFirst = true
        try expect("[")
        while try element(isFirst: &isFirst) {
            try expect("[")
            let first: Upload.ID = try integer()
            try expect(",")
            let last: Upload.ID = try integer()
            try expect("]")
            guard first <= last, ranges.last.map({ $0.upperBound < first }) ?? true else {
                throw malformed("expected ranges of numbers in ascending order")
            }
            ranges.append(first...last)
        }
        return ranges
    }

    /// The id of the record that stands here. Records are written with it first, so that it is found at once.
    mutating func uploadID() throws(MalformedJSON) -> Upload.ID {
        try expect("{")
        var isFirst = true
        while let key = try key(isFirst: &isFirst) {
            if case "id" = key { return try integer() }
            try skipValue()
        }
        throw malformed("an upload without id")
    }

    func require<Value>(_ value: Value?, _ name: String) throws(MalformedJSON) -> Value {
        guard let value else { throw malformed("the member \(name) is missing") }
        return value
    }

    private mutating func identity(_ unknown: inout [UInt8]) throws(MalformedJSON) -> FileIdentity {
        var device: UInt64?
        var inode: UInt64?
        var size: ByteCount?
        var modified: Int64?
        var changed: Int64?
        var isFirst = true
        try expect("{")
        while let key = try key(isFirst: &isFirst) {
            switch key {
            case "device": try device.fill(integer(), at: position)
            case "inode": try inode.fill(integer(), at: position)
            case "size": try size.fill(integer(), at: position)
            case "modified": try modified.fill(integer(), at: position)
            case "changed": try changed.fill(integer(), at: position)
            default: try keepMember(key, in: &unknown)
            }
        }
        return FileIdentity(
            device: try require(device, "device"), inode: try require(inode, "inode"),
            size: try require(size, "size"), modified: try require(modified, "modified"),
            changed: try require(changed, "changed"))
    }

    private mutating func target(
        _ unknown: inout [UInt8], last: inout RepeatedTarget
    ) throws(MalformedJSON) -> Upload.Target {
        var destination: String?
        var url: String?
        var method: String?
        var name: String?
        var fields: [Upload.Target.Field]?
        var existing: ExistingFilePolicy?
        skipWhitespace()
        let start = position
        var isFirst = last.bytes.isEmpty || !take(last.bytes)
        if isFirst {
            try expect("{")
        } else {
            (destination, url, method) = (last.destination, last.url, last.method)
        }
        while let key = try key(isFirst: &isFirst) {
            switch key {
            case "destination": try destination.fill(string(), at: position)
            case "url": try url.fill(string(), at: position)
            case "method":
                try method.fill(string(), at: position)
                if let destination, let url, let method, name == nil, fields == nil, existing == nil,
                    unknown.isEmpty
                {
                    last = RepeatedTarget(
                        destination: destination, url: url, method: method,
                        bytes: Array(bytes[start..<position]), planned: last.planned)
                }
            case "name": try name.fill(string(), at: position)
            case "fields": try fields.fill(self.fields(), at: position)
            case "ifExists": try existing.fill(named("policy for existing files"), at: position)
            default: try keepMember(key, in: &unknown)
            }
        }
        return Upload.Target(
            destination: try require(destination, "destination"), url: try require(url, "url"),
            method: try require(method, "method"), name: try require(name, "name"), fields: fields ?? [],
            existing: existing)
    }

    /// One of an enum's cases by its name.
    mutating func named<Value: RawRepresentable<String>>(_ what: String) throws(MalformedJSON) -> Value {
        let name = try string()
        guard let value = Value(rawValue: name) else { throw malformed("unknown \(what) \(name)") }
        return value
    }

    private mutating func fields() throws(MalformedJSON) -> [Upload.Target.Field] {
        var fields: [Upload.Target.Field] = []
        var isFirst = true
        try expect("[")
        while try element(isFirst: &isFirst) {
            try expect("[")
            let name = try string()
            try expect(",")
            fields.append(Upload.Target.Field(name: name, value: try string()))
            try expect("]")
        }
        return fields
    }

    private mutating func resource(_ unknown: inout UnknownMembers.OfResource) throws(MalformedJSON)
        -> Resource
    {
        var url: String?
        var confirmed: ByteCount?
        var parts: Resource.Parts?
        var expires: Date?
        var fields: [String: String]?
        var isFirst = true
        try expect("{")
        while let key = try key(isFirst: &isFirst) {
            switch key {
            case "url": try url.fill(string(), at: position)
            case "confirmed": try confirmed.fill(integer(), at: position)
            case "parts": try parts.fill(self.parts(), at: position)
            case "expires": try expires.fill(date(), at: position)
            case "fields": try fields.fill(dictionary(), at: position)
            default: try keepMember(key, in: &unknown.members)
            }
        }
        unknown.url = try require(url, "url")
        return Resource(
            url: unknown.url, confirmed: try require(confirmed, "confirmed"), parts: parts, expires: expires,
            fields: fields ?? [:])
    }

    private mutating func parts() throws(MalformedJSON) -> Resource.Parts {
        try expect("[")
        let held: Int = try integer()
        try expect(",")
        let planned: Int = try integer()
        try expect("]")
        return Resource.Parts(held: held, planned: planned)
    }

    private mutating func dictionary() throws(MalformedJSON) -> [String: String] {
        var dictionary: [String: String] = [:]
        try expect("{")
        if take("}") { return dictionary }
        repeat {
            let name = try string()
            try expect(":")
            guard dictionary.updateValue(try string(), forKey: name) == nil else {
                throw malformed("a member is there twice")
            }
        } while take(",")
        try expect("}")
        return dictionary
    }

    private mutating func tries(_ unknown: inout [UInt8]) throws(MalformedJSON) -> Upload.Tries {
        var tries = Upload.Tries()
        var isFirst = true
        try expect("{")
        while let key = try key(isFirst: &isFirst) {
            switch key {
            case "attempts": tries.attempts = try integer()
            case "network": tries.network = try integer()
            case "server": tries.server = try integer()
            case "authentication": tries.authentication = try integer()
            case "resumes": tries.resumes = try integer()
            case "resent": tries.resent = try integer()
            case "sent": tries.sent = try integer()
            case "delay": tries.delay = try double()
            case "changes": tries.changes = try integer()
            case "uncertain": tries.uncertain = try integer()
            default: try keepMember(key, in: &unknown)
            }
        }
        return tries
    }
}

/// Where the upload read last goes. The next one mostly goes there too: then its record begins that part with the same
/// bytes, which need not be read again, and the texts share memory.
struct RepeatedTarget {
    fileprivate var destination = ""
    fileprivate var url = ""
    fileprivate var method = ""
    /// From the brace to the end of the method, as it stands in the file; empty before the first.
    fileprivate var bytes: [UInt8] = []
    fileprivate var planned: Upload?

    /// Those that were added together stand together.
    fileprivate mutating func share(_ upload: inout Upload) {
        if let planned { upload.shareRest(with: planned) }
        planned = upload
    }
}

extension Optional {
    /// Sets a member read for the first time.
    mutating func fill(_ value: Wrapped, at position: Int) throws(MalformedJSON) {
        guard case .none = self else {
            throw MalformedJSON(position: position, reason: "a member is there twice")
        }
        self = value
    }
}
