import HTTPTypes

/// The features that a tus server names in its response to OPTIONS (tus 1.0.0, "OPTIONS").
enum TusOffer {
    /// The keys that tus uses in `ServerCapabilities.facts`.
    enum Fact {
        /// The key for the value of the field `Tus-Checksum-Algorithm`.
        static let checksums = "checksums"
        /// "yes" if the server sent no response to OPTIONS, refused it, or responded without a tus header field.
        static let saysNothing = "saysNothing"
        /// "yes" once the server, or a proxy before it, has refused PATCH.
        static let overridesMethod = "overridesMethod"
        /// "yes" once the server has lost bytes that it had confirmed. Each file is then sent in one request.
        static let forgets = "forgets"
    }

    static func question(_ url: String) -> Exchange {
        Exchange(.options, url, fields: [.tusResumable: TusVerdict.version])
    }

    /// Returns the features in a response to OPTIONS, which tus does not require: without extensions, only `creation`
    /// is assumed. Throws `UploadFailure` (`permanent`) if the server supports only other versions of tus.
    static func capabilities(
        in response: ExchangeOutcome.Response
    ) throws(UploadFailure) -> ServerCapabilities {
        let isSuccess = response.isSuccess
        let versions = FieldList.words(response.fields[.tusVersion])
        if !versions.isEmpty, !versions.contains(TusVerdict.version), isSuccess || response.status == 412 {
            throw UploadFailure(
                .permanent,
                "the server speaks tus \(ServerText.cleaned(versions.joined(separator: ", "))), "
                    + "not \(TusVerdict.version)",
                hint: "check that the destination's url is a tus 1.0 endpoint")
        }
        guard isSuccess, response.namesTus else { return unheard }
        guard let extensions = response.fields[.tusExtension] else { return core }
        var found = ServerCapabilities(extensions: Set(FieldList.words(extensions.lowercased())))
        found.maximumSize = ExchangeOutcome.Response.count(response.fields[.tusMaxSize])
        found.facts[Fact.checksums] = response.fields[.tusChecksumAlgorithm]
        return found
    }

    /// The features to assume after no usable response to OPTIONS (see `Fact.saysNothing`).
    static let unheard = ServerCapabilities(extensions: core.extensions, facts: [Fact.saysNothing: "yes"])

    /// The features to assume if a tus server lists no extensions: only `creation`, which every upload needs.
    static let core = ServerCapabilities(extensions: ["creation"])

    /// Returns the digests that both Ferry and the server support, each with the server's name of the algorithm.
    static func checksums(of capabilities: ServerCapabilities) -> [(algorithm: DigestAlgorithm, name: String)]
    {
        guard capabilities.extensions.contains("checksum") else { return [] }
        // tus 1.0.0, Checksum: "The Server MUST support at least the SHA1 checksum algorithm."
        let names = FieldList.words(capabilities.facts[Fact.checksums])
        return (names.isEmpty ? ["sha1"] : names).compactMap { name in
            algorithm(named: name).map { ($0, name) }
        }
    }

    /// Returns the digest algorithm with this name on a tus server, such as `sha1` or `SHA-256`; nil if unsupported.
    static func algorithm(named name: String) -> DigestAlgorithm? {
        let letters = name.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }
        return switch String(decoding: letters, as: UTF8.self).lowercased() {
        case "md5": .md5
        case "sha1": .sha1
        case "sha256": .sha256
        case "crc32c": .crc32c
        default: nil
        }
    }

    /// Returns the checksum of an upload, if any. Throws a failure (`permanent`) if the server lacks a required one.
    static func sum(
        _ options: ProtocolOptions, of size: ByteCount, at capabilities: ServerCapabilities
    ) throws(UploadFailure) -> TusSum? {
        let offered = checksums(of: capabilities)
        guard let wanted = options.checksum else {
            return options.checksumChoice == .offered ? offeredSum(offered, size: size) : nil
        }
        guard let found = offered.first(where: { $0.algorithm == wanted }) else {
            let others = Set(offered.map(\.algorithm.rawValue)).sorted().joined(separator: ", ")
            throw UploadFailure(
                .permanent, "the server cannot check what arrives by \(wanted.shown)",
                hint: others.isEmpty
                    ? "leave checksum out of the destination, or set it to none"
                    : "set the destination's checksum to one it can: \(others)")
        }
        let chunk = capabilities.forgets ? .max : options.chunkSize ?? TusSum.usualChunk
        return TusSum(algorithm: wanted, name: found.name, chunk: max(1, chunk))
    }

    /// Returns the checksum to send if the server offers one and the options require none. Nil for an empty file, and
    /// for one above `largestByItself`, whose digest `OfferedDigest` compares at the end. A server stores a request
    /// with a checksum completely or not at all, so a break loses all its bytes.
    private static func offeredSum(_ offered: [(algorithm: DigestAlgorithm, name: String)], size: ByteCount)
        -> TusSum?
    {
        guard (1...largestByItself).contains(size) else { return nil }
        let found = DigestAlgorithm.strongestFirst.lazy
            .compactMap { wanted in offered.first { $0.algorithm == wanted } }.first
        return found.map { TusSum(algorithm: $0.algorithm, name: $0.name, chunk: TusSum.usualChunk) }
    }

    /// The maximum size in bytes of a file that is sent with a checksum if the options do not require one.
    private static let largestByItself: ByteCount = 128 << 10
}

extension ServerCapabilities {
    var forgets: Bool { facts[TusOffer.Fact.forgets] == "yes" }

    /// The digests, among those that Ferry supports, with which this tus server can check the received bytes.
    package var tusChecksums: Set<DigestAlgorithm> { Set(TusOffer.checksums(of: self).map(\.algorithm)) }
}

/// The checksum in the requests of a tus upload, for the server's check. It is chosen when the upload is created.
struct TusSum: Hashable, Sendable {
    var algorithm: DigestAlgorithm
    /// The name of the algorithm in the server's spelling.
    var name: String
    /// The maximum number of bytes in one request. A broken connection loses all of them.
    var chunk: ByteCount

    static let usualChunk: ByteCount = 8 << 20

    /// Returns the digest to compute for a request that sends these bytes of the file.
    func order(for range: Range<ByteCount>) -> DigestRequest {
        DigestRequest(algorithm, of: range, in: .init(.uploadChecksum, .base64, prefix: "\(name) "))
    }
}
