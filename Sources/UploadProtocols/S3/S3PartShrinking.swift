/// The adaptation of the part size to a link that breaks often. A break loses fewer bytes if parts are smaller, but
/// each part costs a request. The size grows again after an upload without a break.
struct S3PartShrinking: Sendable {
    /// The number of bytes sent in this attempt, in parts that arrived and in parts whose transfer broke.
    private(set) var carried: ByteCount = 0
    /// True once a part arrived.
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

    /// The number of parts that should fit between two breaks. A break loses half a part on average, so with four parts
    /// an eighth of the sent bytes is lost.
    private static let partsBetweenBreaks: ByteCount = 4

    /// Returns the part size for later attempts: a quarter of the bytes that this attempt sent. It is at least half of
    /// the old size, because a single break does not show that the link breaks often.
    ///
    /// - Parameters:
    ///   - size: The old part size, in bytes.
    ///   - smallest: The minimum part size at this server, in bytes.
    /// - Returns: The new size; nil if it does not change.
    func size(after size: ByteCount, smallest: ByteCount) -> ByteCount? {
        guard hasBroken else { return nil }
        let wanted = max(smallest, size / 2, carried / Self.partsBetweenBreaks)
        return wanted < size ? wanted : nil
    }
}

// The learned part size applies to the whole destination.
extension S3Upload {
    private static let fact = "s3.partSize"

    /// The minimum size of a part, in bytes. Only the last part may be smaller.
    var smallestPart: ByteCount {
        max(S3PartPlan.smallestPart, facts.facts["s3.smallestPart"].flatMap { ByteCount($0) } ?? 0)
    }

    /// The preferred part size of a new upload, in bytes. It is the configured size, or the smaller size that `shrink`
    /// has recorded for the destination. nil means the default size.
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

    /// Makes the parts smaller if the transfer of a part broke in this attempt. Records the smaller size for later
    /// uploads to the destination, and divides the rest of this file into parts of that size.
    ///
    /// The rest of this file is not divided again if there would be too many parts. It is also not divided again if the
    /// server requires equal parts and has stored parts that are still used.
    ///
    /// - Returns: The notes to record; nil if the part size does not change.
    mutating func shrink(_ session: inout S3Session, _ ledger: inout S3PartLedger) -> [Step.Note]? {
        let most = mostParts ?? S3PartPlan.mostParts
        guard let size = shrinking.size(after: session.plan.lastPartSize, smallest: smallestPart) else {
            return nil
        }
        facts.facts[Self.fact] = "\(size)"
        // If no part arrived, a part that is missing before stored ones may be too large for the link. The new plan
        // splits that part, and drops the stored parts after it.
        let kept = shrinking.hasArrived ? ledger.lastHeld : ledger.heldFromFirst
        if kept == 0 || !wantsEqualParts,
            let plan = session.plan.shrunk(to: size, after: kept, most: most)
        {
            session.plan = plan
            ledger = ledger.replanned(plan, keeping: kept)
            claimed = ledger.heldBytes
        }
        return [.resource(resource(session, ledger)), .capabilities(facts)]
    }

    /// Doubles the part size that `shrink` has recorded for the destination. If the doubled size would reach the
    /// configured or default size, deletes the recorded size instead. Does nothing if no size is recorded, or if this
    /// attempt resumed an upload of an earlier attempt.
    ///
    /// - Returns: The notes to record; empty if nothing changed.
    mutating func enlargeLearntPart(of plan: S3PartPlan) -> [Step.Note] {
        guard !wasResumed, let learnt = learntPart.map({ min($0, plan.partSize) }) else { return [] }
        let usual = options.chunkSize ?? S3PartPlan.usualPart
        facts.facts[Self.fact] = learnt < usual / 2 ? "\(learnt * 2)" : nil
        return [.capabilities(facts)]
    }
}
