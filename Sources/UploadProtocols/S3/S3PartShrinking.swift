/// Computes a smaller part size for a connection that breaks often, because a break loses the part in flight.
struct S3PartShrinking: Sendable {
    /// The number of bytes sent in this attempt, also in parts whose transfer broke.
    private(set) var carried: ByteCount = 0
    private(set) var hasArrived = false
    /// True once the transfer of a part broke after some of its bytes were sent.
    private(set) var hasBroken = false

    mutating func arrived(_ bytes: ByteCount) {
        carried += bytes
        hasArrived = true
    }

    mutating func broke(afterSending bytes: ByteCount) {
        guard bytes > 0 else { return }
        carried += bytes
        hasBroken = true
    }

    /// The number of parts to send between two breaks. A break loses half a part, thus an eighth of the bytes.
    private static let partsBetweenBreaks: ByteCount = 4

    /// Returns a smaller part size for later attempts; nil if no transfer broke, or if the size would not be smaller.
    /// It is a quarter of the bytes that this attempt sent, at least `smallest`, the minimum at this server. It is also
    /// at least half of the old size: a single break does not show that the connection breaks often.
    func size(after size: ByteCount, smallest: ByteCount) -> ByteCount? {
        guard hasBroken else { return nil }
        let wanted = max(smallest, size / 2, carried / Self.partsBetweenBreaks)
        return wanted < size ? wanted : nil
    }
}

// The learned part size applies to the whole destination.
extension S3Upload {
    private static let fact = "s3.partSize"

    /// The minimum size of a part at this server, in bytes. Only the last part of a file can be smaller.
    var smallestPart: ByteCount {
        max(S3PartPlan.smallestPart, facts.facts["s3.smallestPart"].flatMap { ByteCount($0) } ?? 0)
    }

    /// The configured part size, or a smaller one that earlier uploads have recorded; nil for the default size.
    var askedPart: ByteCount? {
        guard let learnt = learntPart else { return options.chunkSize }
        return min(learnt, options.chunkSize ?? S3PartPlan.usualPart)
    }

    private var learntPart: ByteCount? { facts.facts[Self.fact].flatMap { ByteCount($0) } }

    /// True if the server has refused parts of different sizes. Cloudflare R2 requires parts of one size.
    var wantsEqualParts: Bool {
        get { facts.facts["s3.equalParts"] == "yes" }
        set { facts.facts["s3.equalParts"] = newValue ? "yes" : nil }
    }

    /// Makes the parts smaller if the transfer of one broke, for later uploads and for the rest of this file. The file
    /// keeps its parts if there would be too many, or if the server requires one size. Returns the notes.
    mutating func shrink(_ session: inout S3Session, _ ledger: inout S3PartLedger) -> [Step.Note] {
        let most = mostParts ?? S3PartPlan.mostParts
        guard let size = shrinking.size(after: session.plan.lastPartSize, smallest: smallestPart) else {
            return []
        }
        facts.facts[Self.fact] = "\(size)"
        // If no part arrived, one before stored parts may be too large. The new plan splits it and drops these.
        let kept = shrinking.hasArrived ? ledger.lastHeld : ledger.heldFromFirst
        if kept == 0 || !wantsEqualParts, let plan = session.plan.shrunk(to: size, after: kept, most: most) {
            session.plan = plan
            ledger = ledger.replanned(plan, keeping: kept)
            claimed = ledger.heldBytes
        }
        return [.resource(resource(session, ledger)), .capabilities(facts)]
    }

    /// Doubles the part size that `shrink` has stored, because all parts have arrived, or deletes it near the usual
    /// size. Does nothing if this attempt resumed an earlier one. Returns the notes to record.
    mutating func enlargeLearntPart(of plan: S3PartPlan) -> [Step.Note] {
        guard !wasResumed, let learnt = learntPart.map({ min($0, plan.partSize) }) else { return [] }
        let usual = options.chunkSize ?? S3PartPlan.usualPart
        facts.facts[Self.fact] = learnt < usual / 2 ? "\(learnt * 2)" : nil
        return [.capabilities(facts)]
    }
}
