/// The adaptation of the part size to a link that breaks often: smaller parts lose less, but each part is a request.
/// The size grows again once the link holds.
struct S3PartShrinking: Sendable {
    /// The bytes that were sent in this attempt, whether their part arrived or not.
    private(set) var carried: ByteCount = 0
    /// True once a part arrived.
    private(set) var hasArrived = false
    /// True once a part broke with bytes in flight.
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

    /// The number of parts that should fit between two breaks. With four, an eighth of the sent bytes is lost on
    /// average.
    private static let partsBetweenBreaks: ByteCount = 4

    /// Returns the size of parts after this attempt: at least half of the old size, as one break is weak evidence.
    ///
    /// - Parameters:
    ///   - size: The old size.
    ///   - smallest: The smallest part that the server accepts.
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

    /// The smallest size of a part except the last, in bytes.
    var smallestPart: ByteCount {
        max(S3PartPlan.smallestPart, facts.facts["s3.smallestPart"].flatMap { ByteCount($0) } ?? 0)
    }

    /// The size for planning a new upload; nil for the usual one.
    var askedPart: ByteCount? {
        guard let learnt = learntPart else { return options.chunkSize }
        return min(learnt, options.chunkSize ?? S3PartPlan.usualPart)
    }

    private var learntPart: ByteCount? { facts.facts[Self.fact].flatMap { ByteCount($0) } }

    /// True if the server refused parts of different sizes (Cloudflare R2 allows one size only).
    var wantsEqualParts: Bool {
        get { facts.facts["s3.equalParts"] == "yes" }
        set { facts.facts["s3.equalParts"] = newValue ? "yes" : nil }
    }

    /// Plans the rest in smaller parts if this attempt broke too early for the current ones.
    ///
    /// - Returns: The notes to record; nil if the parts do not change.
    mutating func shrink(_ session: inout S3Session, _ ledger: inout S3PartLedger) -> [Step.Note]? {
        let most = mostParts ?? S3PartPlan.mostParts
        guard let size = shrinking.size(after: session.plan.lastPartSize, smallest: smallestPart) else {
            return nil
        }
        facts.facts[Self.fact] = "\(size)"
        // If no part arrived, a missing part before the last stored one may be too large for the link: the plan splits
        // it, and drops the stored parts after it.
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

    /// Enlarges the learned part size after an upload without a break.
    mutating func enlargeLearntPart() -> [Step.Note] {
        guard !wasResumed, let learnt = learntPart else { return [] }
        let usual = options.chunkSize ?? S3PartPlan.usualPart
        facts.facts[Self.fact] = learnt < usual / 2 ? "\(learnt * 2)" : nil
        return [.capabilities(facts)]
    }
}
