/// A multipart upload on the server, as stored between attempts. The server lists its parts.
struct S3Session: Hashable, Sendable {
    /// The URL of the object.
    let object: String
    let uploadID: String
    /// The division of the file into parts. They keep the size that was set when the upload started, or the smaller
    /// sizes after breaks, even if the setting has changed.
    var plan: S3PartPlan
    /// The digest declared at the start.
    let checksum: DigestAlgorithm?
    /// The reduced limit of concurrent requests that the server requested; nil if it requested none.
    var parallelLimit: Int?
    /// The expected object if the completion was sent; nil before.
    var completion: Expected?

    /// The facts that distinguish this upload's object from another at its key.
    struct Expected: Hashable, Sendable {
        /// The entity tag as in `S3Checksum.whole`, if the parts' tags are MD5s.
        var entityTag: String?
        /// The digest by the session's algorithm.
        var digest: String?
    }

    init(object: String, uploadID: String, plan: S3PartPlan, checksum: DigestAlgorithm?) {
        self.object = object
        self.uploadID = uploadID
        self.plan = plan
        self.checksum = checksum
    }

    /// Restores a session; nil if the resource is not a multipart upload of a file of this size.
    init?(_ resource: UploadResource, size: ByteCount) {
        let memory = resource[S3Memory.self]
        guard let uploadID = memory.uploadID, !uploadID.isEmpty, let partSize = memory.partSize,
            let plan = S3PartPlan(size: size, keeping: partSize, later: memory.laterPartSizes)
        else { return nil }
        object = UploadAddress.withoutQuery(resource.url)
        self.uploadID = uploadID
        self.plan = plan
        checksum = memory.checksum
        parallelLimit = memory.parallelLimit.map { max(1, $0) }
        if memory.isCompleting {
            completion = Expected(entityTag: memory.entityTag, digest: memory.digest)
        }
    }

    /// The URL of this upload, different for each upload of an object: it is made durable before parts are sent.
    var url: String { object + S3Address.query(["uploadId": uploadID]) }

    func resource(heldBytes: ByteCount = 0, heldParts: Int = 0) -> UploadResource {
        let memory = S3Memory(
            uploadID: uploadID, partSize: plan.partSize, laterPartSizes: plan.laterSizes, checksum: checksum,
            parallelLimit: parallelLimit, isCompleting: completion != nil, entityTag: completion?.entityTag,
            digest: completion?.digest)
        var resource = UploadResource(
            url: url, confirmed: heldBytes, parts: .init(held: heldParts, planned: plan.count))
        resource[S3Memory.self] = memory
        return resource
    }
}

/// The facts that a multipart upload stores.
struct S3Memory: ResumeForm {
    var uploadID: String?
    /// The size of the first parts, in bytes.
    var partSize: ByteCount?
    /// The sizes of later parts in the form of `S3PartPlan.laterSizes`.
    var laterPartSizes: String?
    var checksum: DigestAlgorithm?
    var parallelLimit: Int?
    /// True once the completion was sent.
    var isCompleting = false
    /// The expected entity tag of the object.
    var entityTag: String?
    /// The expected digest of the object.
    var digest: String?

    static var keys: [ResumeKey<Self>] {
        [
            .init("uploadId", \.uploadID), .init("partSize", \.partSize),
            .init("laterPartSizes", \.laterPartSizes), .init("checksum", \.checksum),
            .init("parallel", \.parallelLimit), .init("completing", \.isCompleting),
            .init("etag", \.entityTag), .init("digest", \.digest),
        ]
    }
}

/// The stored parts, those in flight and those left.
struct S3PartLedger: Sendable {
    let plan: S3PartPlan
    private(set) var held: [Int: S3Part] = [:]
    private(set) var heldBytes: ByteCount = 0
    private(set) var underWay: Set<Int> = []
    /// The parts left to send; the last element is the next.
    private var left: [Int] = []
    private var sentAgain: Set<Int> = []

    init(_ plan: S3PartPlan) { self.plan = plan }

    /// Returns the ledger for another plan, of whose parts those up to `number` are stored.
    func replanned(_ plan: S3PartPlan, keeping number: Int) -> S3PartLedger {
        var ledger = S3PartLedger(plan)
        for (held, part) in held where held <= number { ledger.hold(part, number: held) }
        ledger.plan(asksWithLast: false)
        return ledger
    }

    /// The number of the last stored part; 0 if there is none.
    var lastHeld: Int { held.keys.max() ?? 0 }
    /// The number of stored parts without a gap from the first on.
    var heldFromFirst: Int { (1...plan.count).first { held[$0] == nil }.map { $0 - 1 } ?? plan.count }

    /// Records a part in the server's list. A part of another size than planned is sent again.
    mutating func list(_ part: S3Part, number: Int, size: ByteCount) {
        guard let range = plan.range(of: number), range.upperBound - range.lowerBound == size else { return }
        hold(part, number: number)
    }

    /// Marks all parts that are not stored as left to send.
    ///
    /// - Parameter asksWithLast: True to send the last part first: a server that allows fewer parts then refuses it
    ///   before most of the file was sent in vain.
    mutating func plan(asksWithLast: Bool) {
        left = (1...plan.count).reversed().filter { held[$0] == nil }
        if asksWithLast, let last = left.first {
            left.removeFirst()
            left.append(last)
        }
    }

    /// Takes the next parts, so that at most `limit` are in flight.
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

    /// Records that a part did not arrive.
    mutating func lose(_ number: Int) {
        guard underWay.remove(number) != nil else { return }
        left.append(number)
    }

    /// Returns true the first time, when the part is sent once more.
    mutating func sendAgain(_ number: Int) -> Bool { sentAgain.insert(number).inserted }

    var isComplete: Bool { held.count == plan.count }

    /// The digests of the stored parts in order; nil if one is unknown.
    var digests: [(digest: [UInt8], length: ByteCount)]? { digests { $0.digest } }

    /// The MD5s in the parts' tags; nil if a tag is not an MD5.
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
