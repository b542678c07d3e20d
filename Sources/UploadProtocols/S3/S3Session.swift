/// The facts about a multipart upload that are stored between attempts. The server has the list of the stored parts.
struct S3Session: Hashable, Sendable {
    /// The URL of the object.
    let object: String
    let uploadID: String
    /// The division of the file into parts, which a later change of the configured part size does not affect.
    var plan: S3PartPlan
    /// The digest algorithm that was chosen when the upload was created; nil if none was chosen.
    let checksum: DigestAlgorithm?
    /// The time of the upload's creation by the server's clock, in seconds since 1970; nil if the server sent no date.
    var created: Int?
    /// The maximum number of concurrent requests; nil unless the server has asked for fewer.
    var parallelLimit: Int?
    /// The properties that the finished object should have; nil unless the request that completes the upload was sent.
    var completion: Expected?

    /// The properties that show whether an object is the result of this upload.
    struct Expected: Hashable, Sendable {
        /// The entity tag `HEX-N` of the parts' MD5s and their number; nil if their tags are not MD5s.
        var entityTag: String?
        /// The digest, as text in the form that S3 uses; nil if it is unknown.
        var digest: String?
    }
}

extension S3Session {
    /// Restores a multipart upload from `resource`; nil if that does not describe one of a file of `size` bytes.
    init?(_ resource: UploadResource, size: ByteCount) {
        let memory = resource[S3Memory.self]
        guard let uploadID = memory.uploadID, !uploadID.isEmpty, let partSize = memory.partSize,
            let plan = S3PartPlan(size: size, keeping: partSize, later: memory.laterPartSizes)
        else { return nil }
        self.init(
            object: UploadAddress.withoutQuery(resource.url), uploadID: uploadID, plan: plan,
            checksum: memory.checksum, created: memory.created)
        parallelLimit = memory.parallelLimit.map { max(1, $0) }
        if memory.isCompleting { completion = Expected(entityTag: memory.entityTag, digest: memory.digest) }
    }

    /// The URL of this multipart upload. It is stored on disk before the first part is sent.
    var url: String { object + S3Address.query(["uploadId": uploadID]) }

    func resource(heldBytes: ByteCount = 0, heldParts: Int = 0) -> UploadResource {
        var resource = UploadResource(
            url: url, confirmed: heldBytes, parts: .init(stored: heldParts, planned: plan.count))
        resource[S3Memory.self] = S3Memory(
            uploadID: uploadID, partSize: plan.partSize, laterPartSizes: plan.laterSizes, checksum: checksum,
            created: created, parallelLimit: parallelLimit, isCompleting: completion != nil,
            entityTag: completion?.entityTag, digest: completion?.digest)
        return resource
    }
}

/// The form in which the facts of an `S3Session` are stored between attempts.
struct S3Memory: ResumeForm {
    var uploadID: String?
    /// The part size at the start of the file, in bytes.
    var partSize: ByteCount?
    /// The value of `S3PartPlan.laterSizes`.
    var laterPartSizes: String?
    var checksum: DigestAlgorithm?
    var created: Int?
    var parallelLimit: Int?
    /// True if the request that completes the upload was possibly sent.
    var isCompleting = false
    var entityTag: String?
    var digest: String?

    static let keys: ResumeKeys<Self> = [
        .init("uploadId", \.uploadID), .init("partSize", \.partSize),
        .init("laterPartSizes", \.laterPartSizes), .init("checksum", \.checksum),
        .init("created", \.created), .init("parallel", \.parallelLimit),
        .init("completing", \.isCompleting), .init("etag", \.entityTag), .init("digest", \.digest),
    ]
}

/// A record of the parts of a file: which are stored on the server, which are in flight, and which are left to send.
struct S3PartLedger: Sendable {
    let plan: S3PartPlan
    private(set) var held: [Int: S3Part] = [:]
    private(set) var heldBytes: ByteCount = 0
    private(set) var underWay: Set<Int> = []
    /// The numbers of the parts left to send. The last element is sent next.
    private var left: [Int] = []
    private var sentAgain: Set<Int> = []

    init(_ plan: S3PartPlan) { self.plan = plan }

    /// Returns a record for the new division `plan` of the file, with the stored parts up to `number`.
    func replanned(_ plan: S3PartPlan, keeping number: Int) -> S3PartLedger {
        var ledger = S3PartLedger(plan)
        for (held, part) in held where held <= number { ledger.hold(part, number: held) }
        ledger.plan(asksWithLast: false)
        return ledger
    }

    var lastHeld: Int { held.keys.max() ?? 0 }
    /// The number of stored parts before the first missing one.
    var heldFromFirst: Int { (1...plan.count).first { held[$0] == nil }.map { $0 - 1 } ?? plan.count }

    /// Records a part that the server lists as stored, if its number and its size fit the plan.
    mutating func list(_ part: S3Part, number: Int, size: ByteCount) {
        if let range = plan.range(of: number), range.count == size { hold(part, number: number) }
    }

    /// Marks all parts that are not stored as left to send, in order. With `asksWithLast`, the last one comes first, so
    /// that a server with a lower limit refuses it before most of the file is sent.
    mutating func plan(asksWithLast: Bool) {
        left = (1...plan.count).reversed().filter { held[$0] == nil }
        if asksWithLast, !left.isEmpty { left.append(left.removeFirst()) }
    }

    /// Returns the numbers of the next parts to send, and marks them as in flight, until `limit` are.
    mutating func take(upTo limit: Int) -> [Int] {
        var taken: [Int] = []
        while underWay.count < limit, let next = left.popLast() {
            underWay.insert(next)
            taken.append(next)
        }
        return taken
    }

    mutating func hold(_ part: S3Part, number: Int) {
        underWay.remove(number)
        guard let range = plan.range(of: number) else { return }
        if held.updateValue(part, forKey: number) == nil { heldBytes += ByteCount(range.count) }
    }

    /// Records that the transfer of a part in flight failed. The part is the next one to send.
    mutating func lose(_ number: Int) { if underWay.remove(number) != nil { left.append(number) } }

    /// Records that a part is sent for the second time. Returns false if it must not be sent for a third time.
    mutating func sendAgain(_ number: Int) -> Bool { sentAgain.insert(number).inserted }

    var isComplete: Bool { held.count == plan.count }

    /// The digests and lengths of all parts, in order; nil if a part is not stored, or if its digest is unknown.
    var digests: [(digest: [UInt8], length: ByteCount)]? { digests { $0.digest } }

    /// The MD5s that the parts have as entity tags, with the lengths; nil if a part is not stored or has another tag.
    var tagDigests: [(digest: [UInt8], length: ByteCount)]? {
        digests { part in
            if case .whole(let digest) = S3EntityTag(part.entityTag) { digest } else { nil }
        }
    }

    private func digests(_ digest: (S3Part) -> [UInt8]?) -> [(digest: [UInt8], length: ByteCount)]? {
        let digests = (1...plan.count).compactMap { number in
            held[number].flatMap(digest).map { ($0, ByteCount(plan.range(of: number)?.count ?? 0)) }
        }
        return digests.count == plan.count ? digests : nil
    }
}
