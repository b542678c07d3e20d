import FerryFiles
import FerryProtocols
import HTTPTypes
import NIOCore

/// The known digests in a request's header fields (RFC 9530), and the one that the client wants.
struct DigestDemand {
    let content: [ServerDigest]
    let whole: [ServerDigest]
    /// The algorithm of the digest that the client wants in the response (`Want-Repr-Digest`); nil if it wants none.
    let wanted: DigestAlgorithm?

    init(_ fields: HTTPFields) {
        content = fields[.contentDigest].map(ServerDigest.dictionary) ?? []
        whole = fields[.reprDigest].map(ServerDigest.dictionary) ?? []
        wanted = fields[.wantReprDigest].flatMap(Self.preferred)
    }

    private static func preferred(_ field: String) -> DigestAlgorithm? {
        let known = DigestAlgorithm.allCases.compactMap { algorithm in
            ServerDigest.key(of: algorithm).map { ($0, algorithm) }
        }
        guard let wishes = StructuredField.counts(field, of: Set(known.map(\.0))) else { return nil }
        return known.filter { wishes[$0.0] ?? 0 > 0 }.max { wishes[$0.0] ?? 0 < wishes[$1.0] ?? 0 }?.1
    }

    /// Compares the client's digests `told` with the digests of a range of the file.
    /// - Returns: The digest of the range by the algorithm `wanted`, as the value of `Repr-Digest`; nil if `wanted` is
    ///   nil. It is right for the file only if the range is the whole file.
    /// - Throws: `Refusal` (400, problem type `digest-mismatching-values`) if a digest differs.
    @discardableResult
    func check(_ told: [ServerDigest], _ file: OpenFile, _ range: Range<Int>) async throws -> String? {
        let algorithms = Set(told.map(\.algorithm) + [wanted].compactMap { $0 })
        guard !algorithms.isEmpty else { return nil }
        let own = try await file.digests(algorithms, of: range)
        for digest in told where own[digest.algorithm] != digest.bytes {
            throw Refusal(
                .badRequest, problem: "digest-mismatching-values",
                "What arrived is not what was sent: its \(digest.algorithm.shown) differs.")
        }
        return wanted.flatMap { wanted in own[wanted].flatMap { wanted.field($0) } }
    }
}

extension DigestAlgorithm {
    /// Returns the value of `Repr-Digest` for a digest; nil if HTTP has no name for the algorithm.
    func field(_ digest: [UInt8]) -> String? {
        ServerDigest.key(of: self).map { "\($0)=:\(Data(digest).base64EncodedString()):" }
    }
}

actor DigestMemory {
    struct Key: Hashable {
        var entityTag: String
        var algorithm: DigestAlgorithm
    }

    /// The number of digests at which the cache is emptied: as many as a folder list has (`WebDAVFolders.listLimit`).
    private static let limit = 10_000

    private(set) var fields: [Key: String] = [:]

    /// Returns the value of `Repr-Digest` for a file; nil if HTTP has no name for the algorithm.
    func field(
        _ algorithm: DigestAlgorithm, of file: OpenFile, _ status: FileStatus
    ) async throws -> String? {
        let key = Key(entityTag: status.entityTag, algorithm: algorithm)
        if let known = fields[key] { return known }
        let own = try await file.digests([algorithm], of: 0..<status.size)
        guard let field = own[algorithm].flatMap({ algorithm.field($0) }) else { return nil }
        add(field, for: key)
        return field
    }

    func add(_ field: String, for key: Key) {
        if fields.count >= Self.limit { fields = [:] }
        fields[key] = field
    }
}

/// The checksum that a request's content must have (tus 1.0.0, Checksum).
struct TusChecksum: Sendable {
    private static let algorithms: [(name: String, algorithm: DigestAlgorithm)] = [
        ("sha1", .sha1), ("sha256", .sha256), ("md5", .md5), ("crc32c", .crc32c),
    ]
    static let names = algorithms.map(\.name).joined(separator: ",")

    private let algorithm: DigestAlgorithm
    private let bytes: [UInt8]

    /// Reads the header field `Upload-Checksum`; nil if the request has no such field.
    /// - Throws: `Refusal` with 400 if the algorithm is unknown or the value is malformed.
    init?(in fields: HTTPFields) throws(Refusal) {
        guard let field = fields[.uploadChecksum] else { return nil }
        let words = field.split(separator: " ")
        guard let name = words.first?.lowercased(),
            let known = Self.algorithms.first(where: { $0.name == name })
        else { throw Refusal(.badRequest, "Upload-Checksum must be by one of \(Self.names).") }
        guard words.count == 2, let data = Data(base64Encoded: String(words[1])) else {
            throw Refusal(.badRequest, "Upload-Checksum is not a name and a digest in Base64.")
        }
        algorithm = known.algorithm
        bytes = Array(data)
    }

    func matches(_ file: OpenFile, _ range: Range<Int>) async throws -> Bool {
        try await file.digests([algorithm], of: range)[algorithm] == bytes
    }
}

extension HTTPResponse.Status {
    /// The status 460 (tus 1.0.0, Checksum).
    static let checksumMismatch = HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch")
}

extension OpenFile {
    /// The number of bytes of one file that the digest thread reads before it turns to another file.
    private static let bytesATurn = 16 << 20

    /// Computes several digests of a range of the file, which is read once. All files share one thread, which reads a
    /// part of each in turn, so that a small file does not wait for large ones.
    /// - Throws: `EIO` if the file is shorter than the end of the range.
    func digests(
        _ algorithms: Set<DigestAlgorithm>, of range: Range<Int>
    ) async throws -> [DigestAlgorithm: [UInt8]] {
        var running = algorithms.map { RunningDigest($0) }
        var rest = range
        while !rest.isEmpty, !running.isEmpty {
            let turn = rest.prefix(Self.bytesATurn)
            running = try await offLoop(on: .digests) { [running] in try self.update(running, with: turn) }
            rest = turn.upperBound..<rest.upperBound
        }
        return Dictionary(uniqueKeysWithValues: zip(algorithms, running.map(\.bytes)))
    }

    private func update(
        _ digests: [RunningDigest], with range: Range<Int>
    ) throws -> [RunningDigest] {
        var digests = digests
        var offset = range.lowerBound
        while offset < range.upperBound {
            let chunk = try read(upTo: min(1 << 20, range.upperBound - offset), at: offset)
            guard chunk.readableBytes > 0 else { throw SystemCallError(call: "read", code: .ioError) }
            chunk.withUnsafeReadableBytes { bytes in
                for index in digests.indices { digests[index].update(bytes) }
            }
            offset += chunk.readableBytes
        }
        return digests
    }
}
