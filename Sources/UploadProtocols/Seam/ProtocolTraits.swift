/// The abilities and properties that all uploads by one protocol share.
public struct ProtocolTraits: Hashable, Sendable {
    /// True if an interrupted upload resumes at the bytes that the server has confirmed. False if it starts again from
    /// its first byte, at least on some servers.
    public var resumes: Bool
    /// True if one upload can have several concurrent requests.
    public var isParallel: Bool
    /// The digests by which a server can confirm the received bytes with this protocol.
    public var checksums: Set<DigestAlgorithm>
    /// The policies for an existing file that the protocol supports. Empty if the protocol cannot detect an existing
    /// file.
    public var existing: Set<ExistingFilePolicy>

    /// True if the file is stored at the URL to which it is sent, so that two files sent to the same URL overwrite each
    /// other. False if the server chooses the name.
    public var fillsSlot: Bool

    /// True if a successful response of the server can contain an HTML page. If false, an HTML page shows that a
    /// captive portal or a proxy has responded instead of the server.
    public var respondsWithPages: Bool

    public init(
        resumes: Bool, isParallel: Bool = false, fillsSlot: Bool = false, respondsWithPages: Bool = false,
        checksums: Set<DigestAlgorithm> = [],
        existing: Set<ExistingFilePolicy> = []
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
    /// Does not send the file if the existing file has the same size, and the same digest if the server reports one.
    /// Otherwise, replaces the existing file.
    case skip
    case replace
    /// Sends the file under a name that is free on the server, such as `name (2).ext`.
    case rename
    case fail
}
