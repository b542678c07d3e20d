import FerryProtocols

/// The members of an upload's record; nil if the text does not contain them. The caller checks which are required.
struct UploadMembers {
    var id: Upload.ID?
    var rank: Int64?
    var path: LocalPath?
    var identity: FileIdentity?
    var target: Upload.Target?
    var state: Upload.State?
    var resource: UploadResource?
    var tries: Upload.Tries?
    var added: Date?
    var batch: String?
    var notBefore: Date?
    var after: [ClosedRange<Upload.ID>]?
    var unknown = UnknownFields()

    var start: Upload.StartCondition? {
        notBefore == nil && after == nil ? nil : .init(notBefore: notBefore, after: after ?? [])
    }
}

extension JSONScanner {
    /// Reads the record of one upload. A target that equals `last`, that of the record before, is read faster.
    mutating func upload(last: inout RepeatedTarget) throws(MalformedJSON) -> (Upload, UnknownFields) {
        let members = try members(last: &last)
        var upload = Upload(
            id: try require(members.id, "id"), rank: try require(members.rank, "rank"),
            path: try require(members.path, "path"), identity: try require(members.identity, "file"),
            target: try require(members.target, "to"), state: try require(members.state, "state"),
            resource: members.resource, tries: members.tries ?? Upload.Tries(),
            added: try require(members.added, "added"))
        if members.batch != nil || members.start != nil {
            upload.batch = members.batch
            upload.start = members.start
            last.share(&upload)
        }
        return (upload, members.unknown)
    }

    mutating func newUpload() throws(MalformedJSON) -> NewUpload {
        var last = RepeatedTarget()
        let members = try members(last: &last)
        return NewUpload(
            path: try require(members.path, "path"), identity: try require(members.identity, "file"),
            target: try require(members.target, "to"), batch: members.batch, start: members.start)
    }

    private mutating func members(last: inout RepeatedTarget) throws(MalformedJSON) -> UploadMembers {
        var members = UploadMembers()
        try expect("{")
        while let key = try key() {
            switch key {
            case "id": try members.id.fill(integer(), at: position)
            case "rank": try members.rank.fill(integer(), at: position)
            case "path": try members.path.fill(path(), at: position)
            case "file": try members.identity.fill(identity(&members.unknown.file), at: position)
            case "to": try members.target.fill(target(&members.unknown.target, last: &last), at: position)
            case "state": try members.state.fill(state(&members.unknown.state), at: position)
            case "resource": try members.resource.fill(resource(&members.unknown.resource), at: position)
            case "tries": try members.tries.fill(tries(&members.unknown.tries), at: position)
            case "added": try members.added.fill(date(), at: position)
            case "batch": try members.batch.fill(string(), at: position)
            case "startsAt": try members.notBefore.fill(date(), at: position)
            case "after": try members.after.fill(ranges(), at: position)
            default: try keepMember(key, in: &members.unknown.upload)
            }
        }
        return members
    }

    mutating func ranges() throws(MalformedJSON) -> [ClosedRange<Upload.ID>] {
        var ranges: [ClosedRange<Upload.ID>] = []
        try expect("[")
        while try element() {
            let (first, last) = try pair()
            guard first <= last, ranges.last.map({ $0.upperBound < first }) ?? true else {
                throw malformed("expected ranges of numbers in ascending order")
            }
            ranges.append(first...last)
        }
        return ranges
    }

    /// Reads the id of the upload record that begins here. It is the first member, so reading it is fast.
    mutating func uploadID() throws(MalformedJSON) -> Upload.ID {
        try expect("{")
        while let key = try key() {
            if case "id" = key { return try integer() }
            try skipValue()
        }
        throw malformed("an upload without id")
    }

    private mutating func identity(_ unknown: inout [UInt8]) throws(MalformedJSON) -> FileIdentity {
        var device: UInt64?
        var inode: UInt64?
        var size: ByteCount?
        var modified: Int64?
        var changed: Int64?
        try expect("{")
        while let key = try key() {
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
        var repeated: Upload.Target?
        if let target = last.target, take(last.bytes) {
            repeated = target
            (destination, url, method) = (target.destination, target.url, target.protocolName)
        } else {
            try expect("{")
        }
        while let key = try key() {
            switch key {
            case "destination": try destination.fill(string(), at: position)
            case "url": try url.fill(string(), at: position)
            case "method":
                try method.fill(string(), at: position)
                if let destination, let url, let method, name == nil, fields == nil, existing == nil,
                    unknown.isEmpty
                {
                    last.target = Upload.Target(
                        destination: destination, url: url, protocolName: method, name: "")
                    last.bytes = Array(bytes[start..<position])
                    repeated = last.target
                }
            case "name": try name.fill(string(), at: position)
            case "fields": try fields.fill(list(Self.field), at: position)
            case "ifExists": try existing.fill(named("policy for existing files"), at: position)
            default: try keepMember(key, in: &unknown)
            }
        }
        if var target = repeated, let name, fields == nil, existing == nil {
            target.name = name
            return target
        }
        var target = Upload.Target(
            destination: try require(destination, "destination"), url: try require(url, "url"),
            protocolName: try require(method, "method"), name: try require(name, "name"),
            fields: fields ?? [], existing: existing)
        last.shareWhole(&target)
        return target
    }

    private static func field(_ scanner: inout JSONScanner) throws(MalformedJSON) -> Upload.Target.Field {
        try scanner.expect("[")
        let name = try scanner.string()
        try scanner.expect(",")
        let value = try scanner.string()
        try scanner.expect("]")
        return Upload.Target.Field(name: name, value: value)
    }

    private mutating func resource(
        _ unknown: inout UnknownFields.OfPart
    ) throws(MalformedJSON) -> UploadResource {
        var url: String?
        var confirmed: ByteCount?
        var parts: UploadResource.Parts?
        var expires: Date?
        var memory: [String: String]?
        try expect("{")
        while let key = try key() {
            switch key {
            case "url": try url.fill(string(), at: position)
            case "confirmed": try confirmed.fill(integer(), at: position)
            case "parts":
                let (stored, planned) = try pair()
                try parts.fill(UploadResource.Parts(stored: stored, planned: planned), at: position)
            case "expires": try expires.fill(date(), at: position)
            case "fields": try memory.fill(dictionary(), at: position)
            default: try keepMember(key, in: &unknown.members)
            }
        }
        unknown.name = try require(url, "url")
        return UploadResource(
            url: unknown.name, confirmed: try require(confirmed, "confirmed"), parts: parts, expires: expires,
            memory: ResumeMemory(memory ?? [:]))
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
        try expect("{")
        while let key = try key() {
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
            case "acceptsPage": tries.acceptsPage = try boolean()
            default: try keepMember(key, in: &unknown)
            }
        }
        return tries
    }
}

/// The target of the upload that was read last, and mostly of the next too. It is then neither parsed nor stored again.
struct RepeatedTarget {
    /// The target without name, form fields and policy; nil before the first record.
    fileprivate var target: Upload.Target?
    /// The JSON text of the target up to the end of the member `method`.
    fileprivate var bytes: [UInt8] = []
    /// The last target with form fields or a policy.
    private var whole: Upload.Target?
    private var planned: Upload?

    /// Lets `upload` share memory with the last upload that had a batch or a start condition, if they are equal.
    fileprivate mutating func share(_ upload: inout Upload) {
        if let planned { upload.shareRest(with: planned) }
        planned = upload
    }

    /// Lets `target` share memory with the last target with form fields or a policy, if they differ only in the name.
    fileprivate mutating func shareWhole(_ target: inout Upload.Target) {
        if let whole { target.share(with: whole) }
        whole = target
    }
}
