import FerryProtocols

extension JSONScanner {
    /// Reads the state of an upload, a JSON object. The member `is` names the state; the other members depend on it.
    mutating func state(_ unknown: inout UnknownFields.OfPart) throws(MalformedJSON) -> Upload.State {
        skipWhitespace()
        if let plain = takePlainState() {
            unknown.name = plain.kind
            return plain
        }
        var members = StateMembers()
        try expect("{")
        while let key = try key() {
            switch key {
            case "is": try members.kind.fill(string(), at: position)
            case "attempt": try members.attempt.fill(integer(), at: position)
            case "since", "until", "at": try members.date.fill(date(), at: position)
            case "reasons": try members.reasons.fill(Upload.PauseReasons(list(Self.reason)), at: position)
            case "category": try members.category.fill(named("category"), at: position)
            case "cause":
                let start = self
                members.cause = UploadFailure.Category(rawValue: try string())
                if members.cause == nil {
                    self = start
                    try keepMember(key, in: &unknown.members)
                }
            case "summary": try members.summary.fill(string(), at: position)
            case "hint": try members.hint.fill(string(), at: position)
            case "status": try members.status.fill(integer(), at: position)
            case "retryAfter": try members.retryAfter.fill(double(), at: position)
            case "detail": try members.detail.fill(UploadFailure.Detail(rawValue: string()), at: position)
            case "location": try members.location.fill(string(), at: position)
            case "entityTag": try members.entityTag.fill(string(), at: position)
            case "bytes": try members.bytes.fill(integer(), at: position)
            case "duration": try members.duration.fill(double(), at: position)
            case "verified": try members.verified.fill(named("digest"), at: position)
            case "wasThere": try members.wasThere.fill(boolean(), at: position)
            case "chosen": try members.chosen.fill(string(), at: position)
            case "source": try members.source.fill(named("fate of a file"), at: position)
            default: try keepMember(key, in: &unknown.members)
            }
        }
        unknown.name = try require(members.kind, "is")
        return try members.state(unknown.name, self)
    }

    /// Reads a state that has no members beside those that this version knows; nil if it is not one of the frequent ones.
    mutating func takePlainState() -> Upload.State? {
        // Most uploads of a long queue are queued or paused, so their states are compared as bytes.
        if take(Self.queued) { return .queued }
        return take(Self.paused) ? .paused(.user) : nil
    }

    private static let queued = Array(#"{"is":"queued"}"#.utf8)
    private static let paused = Array(#"{"is":"paused","reasons":["user"]}"#.utf8)

    private static func reason(_ scanner: inout JSONScanner) throws(MalformedJSON) -> Upload.PauseReasons {
        let start = scanner
        guard scanner.take("\"") else { return Upload.PauseReasons(rawValue: try scanner.integer()) }
        scanner = start
        let name = try scanner.string()
        if let known = Upload.PauseReasons.names.first(where: { $0.name == name }) { return known.reason }
        guard let bits = Int(name) else { throw scanner.malformed("unknown reason \(name)") }
        return Upload.PauseReasons(rawValue: bits)
    }
}

private struct StateMembers {
    var kind: String?
    var attempt: Int?
    var date: Date?
    var reasons: Upload.PauseReasons?
    var category: UploadFailure.Category?
    var cause: UploadFailure.Category?
    var summary: String?
    var hint: String?
    var status: Int?
    var retryAfter: Double?
    var detail: UploadFailure.Detail?
    var location: String?
    var entityTag: String?
    var bytes: ByteCount?
    var duration: Double?
    var verified: DigestAlgorithm?
    var wasThere: Bool?
    var chosen: String?
    var source: SourceDisposition?

    func state(_ kind: String, _ scanner: JSONScanner) throws(MalformedJSON) -> Upload.State {
        switch kind {
        case "queued": return .queued
        case "running":
            return .running(
                attempt: try scanner.require(attempt, "attempt"), since: try scanner.require(date, "since"))
        case "waiting":
            return .waiting(until: try scanner.require(date, "until"), failure: try failure(scanner))
        case "paused": return .paused(try scanner.require(reasons, "reasons"))
        case "held": return .held(try failure(scanner))
        case "failed": return .failed(try failure(scanner))
        case "done":
            let receipt = Receipt(
                location: location, entityTag: entityTag, bytes: try scanner.require(bytes, "bytes"),
                duration: try scanner.require(duration, "duration"), verified: verified,
                wasThere: wasThere ?? false, chosen: chosen, source: source)
            return .done(receipt, at: try scanner.require(date, "at"))
        default:
            throw scanner.malformed(
                "expected queued, running, waiting, paused, held, done or failed, not \(kind.debugDescription)"
            )
        }
    }

    private func failure(_ scanner: JSONScanner) throws(MalformedJSON) -> UploadFailure {
        let category = try scanner.require(category, "category")
        return UploadFailure(
            cause ?? category, try scanner.require(summary, "summary"), hint: hint, status: status,
            retryAfter: retryAfter, detail: detail)
    }
}

extension UploadFailure.Category {
    /// The category to write as `category`: older versions of Ferry reject newer names. The member `cause` is exact.
    var known: Self {
        switch self {
        case .timedOut, .sourceAway, .descriptors, .addressLost, .signInPage, .signInAway,
            .uploadLocked:
            .network
        case .destinationChanged: .permanent
        case .network, .server, .authentication, .permanent, .sourceChanged, .sourceUnreadable,
            .outcomeUnknown, .storage:
            self
        }
    }
}
