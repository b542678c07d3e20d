/// Makes parts as small as a link demands that breaks often, and larger again once it holds: what breaks is lost, and
/// each part is a request.
struct S3PartShrinking: Sendable {
    /// Bytes that went out in this attempt, whether their part arrived or not.
    private(set) var carried: ByteCount = 0
    /// True once a part arrived.
    private(set) var hasArrived = false
    /// True once a part broke with bytes under way.
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

    /// The number of parts that should fit between two breaks. With four, an eighth of what the link carries is lost on
    /// average.
    private static let partsBetweenBreaks: ByteCount = 4

    /// The size of parts after this attempt: never less than half of what it was, as one break says little.
    ///
    /// - Parameters:
    ///   - size: What it was.
    ///   - smallest: The least that the server takes.
    /// - Returns: nil if it stays.
    func size(after size: ByteCount, smallest: ByteCount) -> ByteCount? {
        guard hasBroken else { return nil }
        let wanted = max(smallest, size / 2, carried / Self.partsBetweenBreaks)
        return wanted < size ? wanted : nil
    }
}

// What is learnt of the link holds for the destination.
extension S3Upload {
    private static let fact = "s3.partSize"

    /// The least size of a part that is not the last, in bytes.
    var smallestPart: ByteCount {
        max(S3PartPlan.smallestPart, facts.facts["s3.smallestPart"].flatMap { ByteCount($0) } ?? 0)
    }

    /// The size to plan a new upload with; nil for the usual one.
    var askedPart: ByteCount? {
        guard let learnt = learntPart else { return options.chunkSize }
        return min(learnt, options.chunkSize ?? S3PartPlan.usualPart)
    }

    private var learntPart: ByteCount? { facts.facts[Self.fact].flatMap { ByteCount($0) } }

    /// True where parts of different sizes were refused (Cloudflare R2 takes one size only).
    var wantsEqualParts: Bool {
        get { facts.facts["s3.equalParts"] == "yes" }
        set { facts.facts["s3.equalParts"] = newValue ? "yes" : nil }
    }

    /// Plans what is left in smaller parts if this attempt broke too early for those it had.
    ///
    /// - Returns: What to remember; nil if the parts stay as they are.
    mutating func shrink(_ session: inout S3Session, _ ledger: inout S3PartLedger) -> [Step.Note]? {
        let most = mostParts ?? S3PartPlan.mostParts
        guard let size = shrinking.size(after: session.plan.lastPartSize, smallest: smallestPart) else {
            return nil
        }
        facts.facts[Self.fact] = "\(size)"
        // Where nothing arrived, a part before the last that is held may be too large for the link: it is given up with
        // those behind it.
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

    /// A whole upload without a break: the next one may have larger parts.
    mutating func enlargeLearntPart() -> [Step.Note] {
        guard !wasResumed, let learnt = learntPart else { return [] }
        let usual = options.chunkSize ?? S3PartPlan.usualPart
        facts.facts[Self.fact] = learnt < usual / 2 ? "\(learnt * 2)" : nil
        return [.capabilities(facts)]
    }
}
