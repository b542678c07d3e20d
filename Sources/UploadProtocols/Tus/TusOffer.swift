import HTTPTypes

/// The features that a tus server names in its response to OPTIONS (tus 1.0.0, "OPTIONS").
enum TusOffer {
    /// The keys in `ServerCapabilities.facts`.
    enum Fact {
        /// The key for the value of `Tus-Checksum-Algorithm`.
        static let checksums = "checksums"
        /// The key with the value "yes" if OPTIONS gave no usable response: none, a refusal, or one without a tus
        /// field.
        static let saysNothing = "saysNothing"
        /// The key with the value "yes" once a proxy or the server has refused PATCH.
        static let overridesMethod = "overridesMethod"
        /// The key with the value "yes" once the server has lost confirmed bytes. After that, a file is sent in one
        /// request, because the server can lose bytes between requests.
        static let forgets = "forgets"
    }

    /// Reads the features from a response to OPTIONS. tus does not require servers to support OPTIONS, so a server
    /// without a usable response is assumed to have the core protocol and creation.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if the server names only other versions of tus.
    static func capabilities(in response: ExchangeOutcome.Response) throws(UploadFailure)
        -> ServerCapabilities
    {
        let isSuccess = response.isSuccess
        let versions = FieldList.words(response.fields[.tusVersion])
        if !versions.isEmpty, !versions.contains(TusVerdict.version), isSuccess || response.status == 412 {
            throw UploadFailure(
                .permanent,
                "the server speaks tus \(ServerText.cleaned(versions.joined(separator: ", "))), "
                    + "not \(TusVerdict.version)",
                hint: "check that the destination's url is a tus 1.0 endpoint")
        }
        guard isSuccess, response.namesTus else {
            return unheard
        }
        guard let extensions = response.fields[.tusExtension] else { return core }
        var found = ServerCapabilities(extensions: Set(FieldList.words(extensions.lowercased())))
        found.maximumSize = ExchangeOutcome.Response.count(response.fields[.tusMaxSize])
        found.facts[Fact.checksums] = response.fields[.tusChecksumAlgorithm]
        return found
    }

    /// The assumed features of a server that gave no usable response to OPTIONS: none, a refusal, or one without a tus
    /// field.
    static let unheard = ServerCapabilities(extensions: core.extensions, facts: [Fact.saysNothing: "yes"])

    /// The assumed features of a server that names no extensions: `creation` alone, which every upload needs.
    static let core = ServerCapabilities(extensions: ["creation"])

    /// Returns the digests that both Ferry and the server support, each with the server's name for it.
    static func checksums(of capabilities: ServerCapabilities) -> [(algorithm: DigestAlgorithm, name: String)]
    {
        guard capabilities.extensions.contains("checksum") else { return [] }
        // tus 1.0.0, Checksum: "The Server MUST support at least the SHA1 checksum algorithm."
        let names = FieldList.words(capabilities.facts[Fact.checksums])
        return (names.isEmpty ? ["sha1"] : names).compactMap { name in
            algorithm(named: name).map { ($0, name) }
        }
    }

    /// - Returns: The algorithm with this name on a tus server; nil if Ferry does not support it.
    static func algorithm(named name: String) -> DigestAlgorithm? {
        switch name.lowercased().filter({ $0 != "-" && $0 != "_" }) {
        case "md5": .md5
        case "sha1": .sha1
        case "sha256": .sha256
        case "crc32c": .crc32c
        default: nil
        }
    }

    /// Returns the way in which the server checks the chunks of a file of `size` bytes; nil if it does not check them.
    /// - Throws: `UploadFailure` (`permanent`) if the server does not support the digest that the destination requires.
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

    /// Returns the way in which the server checks a file of at most `largestByItself` bytes. Nil for an empty or larger
    /// file, or if the server offers no digest that Ferry supports.
    ///
    /// A server stores a request with a checksum completely or not at all. So by default, only a small file is sent
    /// with a checksum. A larger file can resume at any byte, and `OfferedDigest` compares its digest at the end.
    private static func offeredSum(
        _ offered: [(algorithm: DigestAlgorithm, name: String)], size: ByteCount
    ) -> TusSum? {
        guard (1...largestByItself).contains(size) else { return nil }
        let found = strongestFirst.lazy.compactMap { wanted in offered.first { $0.algorithm == wanted } }
            .first
        return found.map { TusSum(algorithm: $0.algorithm, name: $0.name, chunk: TusSum.usualChunk) }
    }

    /// The maximum size in bytes of a file that is sent with a checksum although the options require none.
    private static let largestByItself: ByteCount = 128 << 10
    private static let strongestFirst: [DigestAlgorithm] = [.sha256, .sha1, .md5, .crc32c]
}

extension ServerCapabilities {
    /// True if the server has lost bytes that it had confirmed.
    var forgets: Bool { facts[TusOffer.Fact.forgets] == "yes" }

    /// The digests by which this tus server can check what arrives, as far as Ferry supports them.
    package var tusChecksums: Set<DigestAlgorithm> { Set(TusOffer.checksums(of: self).map(\.algorithm)) }
}

/// The way in which the server checks an upload's chunks, chosen when the upload is created.
struct TusSum: Hashable, Sendable {
    var algorithm: DigestAlgorithm
    /// The server's name of the algorithm.
    var name: String
    /// The maximum number of bytes in one request. The server stores a request with a checksum completely or not at
    /// all. So a broken connection loses all bytes of the request.
    var chunk: ByteCount

    static let usualChunk: ByteCount = 8 << 20

    /// Returns the digest to compute for a request with this range of the file.
    func order(for range: Range<ByteCount>) -> DigestRequest {
        DigestRequest(algorithm, of: range, in: .init(.uploadChecksum, .base64, prefix: "\(name) "))
    }
}
