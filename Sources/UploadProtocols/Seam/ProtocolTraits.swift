/// The abilities and properties that all uploads by one protocol share.
public struct ProtocolTraits: Hashable, Sendable {
    /// True if an interrupted upload resumes at the bytes that the server has confirmed. False if it starts again, at least
    /// on some servers.
    public var resumes: Bool
    /// True if one upload can have several concurrent requests.
    public var isParallel: Bool
    /// The digests by which a server can confirm the received bytes with this protocol.
    public var checksums: Set<DigestAlgorithm>
    /// The policies for an existing file that the protocol supports; empty if it cannot detect one.
    public var existing: Set<ExistingFilePolicy>

    /// True if the file is stored at the URL to which it is sent, and not under a name that the server chooses.
    public var fillsSlot: Bool

    /// True if a successful response can contain an HTML page. If false, a page comes from a captive portal or a proxy.
    public var respondsWithPages: Bool

    public init(
        resumes: Bool, isParallel: Bool = false, fillsSlot: Bool = false, respondsWithPages: Bool = false,
        checksums: Set<DigestAlgorithm> = [], existing: Set<ExistingFilePolicy> = []
    ) {
        self.resumes = resumes
        self.isParallel = isParallel
        self.fillsSlot = fillsSlot
        self.respondsWithPages = respondsWithPages
        self.checksums = checksums
        self.existing = existing
    }
}

/// The policy for a file of the same name that already exists on the server.
public enum ExistingFilePolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// Does not send the file if the existing one has the same size and digest, if reported. Otherwise, replaces it.
    case skip
    case replace
    /// Sends the file under a name that is free on the server, such as `name (2).ext`.
    case rename
    case fail
}
