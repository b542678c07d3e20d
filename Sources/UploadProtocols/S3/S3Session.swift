/// A multipart upload on the server, as stored between attempts. The list of its parts is not included, because the
/// server has it.
struct S3Session: Hashable, Sendable {
    /// The URL of the object.
    let object: String
    let uploadID: String
    /// The division of the file into parts. A later change of the configured part size does not affect the division.
    var plan: S3PartPlan
    /// The digest algorithm that the creation of the upload declared; nil if it declared none.
    let checksum: DigestAlgorithm?
    /// The time of the upload's creation by the server's clock, in seconds since 1970; nil if the server sent no date.
    var created: Int?
    /// The reduced maximum of concurrent requests; nil if the server has not asked for fewer requests.
    var parallelLimit: Int?
    /// The expected properties of the object; nil until the request that completes the upload is sent.
    var completion: Expected?

    /// The facts that distinguish this upload's object from another object with the same key.
    struct Expected: Hashable, Sendable {
        /// The expected entity tag in the form `HEX-N`: the MD5 of the MD5s of N parts. Nil if the entity tags of the
        /// parts are not MD5s.
        var entityTag: String?
        /// The expected digest as the server reports it (see `S3Checksum.whole`); nil if it is unknown.
        var digest: String?
    }

    init(object: String, uploadID: String, plan: S3PartPlan, checksum: DigestAlgorithm?) {
        self.object = object
        self.uploadID = uploadID
        self.plan = plan
        self.checksum = checksum
    }

    /// Restores a multipart upload; nil if the resource is no multipart upload, or if its part sizes do not fit a file
    /// of `size` bytes.
    init?(_ resource: UploadResource, size: ByteCount) {
        let memory = resource[S3Memory.self]
        guard let uploadID = memory.uploadID, !uploadID.isEmpty, let partSize = memory.partSize,
            let plan = S3PartPlan(size: size, keeping: partSize, later: memory.laterPartSizes)
        else { return nil }
        object = UploadAddress.withoutQuery(resource.url)
        self.uploadID = uploadID
        self.plan = plan
        checksum = memory.checksum
        created = memory.created
        parallelLimit = memory.parallelLimit.map { max(1, $0) }
        if memory.isCompleting {
            completion = Expected(entityTag: memory.entityTag, digest: memory.digest)
        }
    }

    /// The URL of this multipart upload. The URL is on disk before the first part is sent.
    var url: String { object + S3Address.query(["uploadId": uploadID]) }

    func resource(heldBytes: ByteCount = 0, heldParts: Int = 0) -> UploadResource {
        let memory = S3Memory(
            uploadID: uploadID, partSize: plan.partSize, laterPartSizes: plan.laterSizes, checksum: checksum,
            created: created, parallelLimit: parallelLimit, isCompleting: completion != nil,
            entityTag: completion?.entityTag,
            digest: completion?.digest)
        var resource = UploadResource(
            url: url, confirmed: heldBytes, parts: .init(held: heldParts, planned: plan.count))
        resource[S3Memory.self] = memory
        return resource
    }
}

/// The facts that a multipart upload stores between attempts.
struct S3Memory: ResumeForm {
    var uploadID: String?
    /// The size of the first parts in bytes. All parts have it unless `laterPartSizes` is set.
    var partSize: ByteCount?
    /// The sizes of the parts after those of `partSize`, such as `4:5242880`: from part 4 on, 5,242,880 bytes each. Nil
    /// if all parts have the size `partSize`.
    var laterPartSizes: String?
    var checksum: DigestAlgorithm?
    /// The time of the upload's creation by the server's clock, in seconds since 1970; nil if the server sent no date.
    var created: Int?
    var parallelLimit: Int?
    /// True once the request that completes the upload may have been sent.
    var isCompleting = false
    /// The expected entity tag of the object; nil if it is unknown.
    var entityTag: String?
    /// The expected digest of the object; nil if it is unknown.
    var digest: String?

    static var keys: [ResumeKey<Self>] {
        [
            .init("uploadId", \.uploadID), .init("partSize", \.partSize),
            .init("laterPartSizes", \.laterPartSizes), .init("checksum", \.checksum),
            .init("created", \.created), .init("parallel", \.parallelLimit),
            .init("completing", \.isCompleting),
            .init("etag", \.entityTag), .init("digest", \.digest),
        ]
    }
}

/// The record of which parts are stored, in flight or left to send.
struct S3PartLedger: Sendable {
    let plan: S3PartPlan
    /// The stored parts by number.
    private(set) var held: [Int: S3Part] = [:]
    private(set) var heldBytes: ByteCount = 0
    /// The numbers of the parts in flight.
    private(set) var underWay: Set<Int> = []
    /// The numbers of the parts left to send. The last element is sent next.
    private var left: [Int] = []
    private var sentAgain: Set<Int> = []

    init(_ plan: S3PartPlan) { self.plan = plan }

    /// Returns the ledger for another plan. It keeps the stored parts up to `number`.
    func replanned(_ plan: S3PartPlan, keeping number: Int) -> S3PartLedger {
        var ledger = S3PartLedger(plan)
        for (held, part) in held where held <= number { ledger.hold(part, number: held) }
        ledger.plan(asksWithLast: false)
        return ledger
    }

    /// The highest number of a stored part; 0 if no part is stored.
    var lastHeld: Int { held.keys.max() ?? 0 }
    /// The number of stored parts before the first missing one.
    var heldFromFirst: Int { (1...plan.count).first { held[$0] == nil }.map { $0 - 1 } ?? plan.count }

    /// Records a part from the server's list. A part whose size differs from the plan is ignored, so it is sent again.
    mutating func list(_ part: S3Part, number: Int, size: ByteCount) {
        guard let range = plan.range(of: number), range.upperBound - range.lowerBound == size else { return }
        hold(part, number: number)
    }

    /// Marks all parts that are not stored as left to send.
    ///
    /// - Parameter asksWithLast: True to send the last part first. A server that allows fewer parts then refuses the
    ///   last part before most of the file is sent.
    mutating func plan(asksWithLast: Bool) {
        left = (1...plan.count).reversed().filter { held[$0] == nil }
        if asksWithLast, let last = left.first {
            left.removeFirst()
            left.append(last)
        }
    }

    /// Returns the next parts to send and marks them as in flight, so that at most `limit` parts are in flight.
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
        if held.updateValue(part, forKey: number) == nil {
            heldBytes += range.upperBound - range.lowerBound
        }
    }

    /// Records that a part did not arrive, so that it is sent again.
    mutating func lose(_ number: Int) {
        guard underWay.remove(number) != nil else { return }
        left.append(number)
    }

    /// Records that the part is sent once more. Returns false if this was already recorded: then the part must not be
    /// sent again.
    mutating func sendAgain(_ number: Int) -> Bool { sentAgain.insert(number).inserted }

    var isComplete: Bool { held.count == plan.count }

    /// The digests and lengths of all parts in order; nil if a digest is unknown.
    var digests: [(digest: [UInt8], length: ByteCount)]? { digests { $0.digest } }

    /// The MD5s in the parts' entity tags, with the lengths of the parts; nil if a tag is not an MD5.
    var tagDigests: [(digest: [UInt8], length: ByteCount)]? {
        digests { part in
            if case .whole(let digest) = S3EntityTag(part.entityTag) { digest } else { nil }
        }
    }

    private func digests(_ digest: (S3Part) -> [UInt8]?) -> [(digest: [UInt8], length: ByteCount)]? {
        var digests: [(digest: [UInt8], length: ByteCount)] = []
        for number in 1...plan.count {
            guard let found = held[number].flatMap(digest), let range = plan.range(of: number) else {
                return nil
            }
            digests.append((found, range.upperBound - range.lowerBound))
        }
        return digests
    }
}
