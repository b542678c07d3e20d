import FerryProtocols
import FerryTransfer
import Foundation

/// As uploads cross the control socket, where an engine or a screen of before may be at the other end: it must find all
/// members that it knows, and has none that came later.
extension Upload: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, rank, path, identity, target, state, resource, tries, added, batch, start
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ID.self, forKey: .id),
            rank: try container.decode(Int64.self, forKey: .rank),
            path: try container.decode(LocalPath.self, forKey: .path),
            identity: try container.decode(FileIdentity.self, forKey: .identity),
            target: try container.decode(Target.self, forKey: .target),
            state: try container.decode(State.self, forKey: .state),
            resource: try container.decodeIfPresent(Resource.self, forKey: .resource),
            tries: try container.decodeIfPresent(Tries.self, forKey: .tries) ?? Tries(),
            added: try container.decode(Date.self, forKey: .added),
            batch: try container.decodeIfPresent(String.self, forKey: .batch),
            start: try container.decodeIfPresent(StartCondition.self, forKey: .start))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(rank, forKey: .rank)
        try container.encode(path, forKey: .path)
        try container.encode(identity, forKey: .identity)
        try container.encode(target, forKey: .target)
        try container.encode(state, forKey: .state)
        // Nothing is said of them by null.
        try container.encode(resource, forKey: .resource)
        try container.encode(tries == Tries() ? nil : tries, forKey: .tries)
        try container.encode(added, forKey: .added)
        try container.encodeIfPresent(batch, forKey: .batch)
        try container.encodeIfPresent(start, forKey: .start)
    }
}

/// As `Upload`: engines and screens of before know no `sent`.
extension Upload.Tries {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init()
        attempts = try container.decode(Int.self, forKey: .attempts)
        network = try container.decode(Int.self, forKey: .network)
        server = try container.decode(Int.self, forKey: .server)
        authentication = try container.decode(Int.self, forKey: .authentication)
        resumes = try container.decode(Int.self, forKey: .resumes)
        resent = try container.decode(ByteCount.self, forKey: .resent)
        sent = try container.decodeIfPresent(ByteCount.self, forKey: .sent) ?? 0
        delay = try container.decode(Double.self, forKey: .delay)
        changes = try container.decode(Int.self, forKey: .changes)
        uncertain = try container.decode(Int.self, forKey: .uncertain)
    }
}
