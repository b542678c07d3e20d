public import FerryTransfer

/// A file to be queued: the destination has been resolved, the file looked at.
public struct NewUpload: Hashable, Sendable {
    /// Absolute, for the engine may run elsewhere.
    public var path: LocalPath
    /// Which version is to be sent: another one holds the upload.
    public var identity: FileIdentity
    /// Where to.
    public var target: Upload.Target
    /// The name of the group it belongs to; nil for none.
    public var batch: String?
    /// What must be so before it starts; nil if it may start at once. Numbers that are not in the queue are refused.
    public var start: Upload.StartCondition?

    public init(
        path: LocalPath, identity: FileIdentity, target: Upload.Target, batch: String? = nil,
        start: Upload.StartCondition? = nil
    ) {
        self.path = path
        self.identity = identity
        self.target = target
        self.batch = batch
        self.start = start
    }
}

/// An engine of before must not take a planned upload for one that starts at once: it does not find what it needs, and
/// refuses it as another version's.
extension NewUpload: Codable {
    private enum CodingKeys: String, CodingKey {
        case path, identity, target, batch, start, planned
    }

    public init(from decoder: any Decoder) throws {
        let whole = try decoder.container(keyedBy: CodingKeys.self)
        let container =
            whole.contains(.planned)
            ? try whole.nestedContainer(keyedBy: CodingKeys.self, forKey: .planned) : whole
        path = try container.decode(LocalPath.self, forKey: .path)
        identity = try container.decode(FileIdentity.self, forKey: .identity)
        target = try container.decode(Upload.Target.self, forKey: .target)
        batch = try container.decodeIfPresent(String.self, forKey: .batch)
        start = try container.decodeIfPresent(Upload.StartCondition.self, forKey: .start)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if batch != nil || start != nil {
            container = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .planned)
        }
        try container.encode(path, forKey: .path)
        try container.encode(identity, forKey: .identity)
        try container.encode(target, forKey: .target)
        try container.encodeIfPresent(batch, forKey: .batch)
        try container.encodeIfPresent(start, forKey: .start)
    }
}
