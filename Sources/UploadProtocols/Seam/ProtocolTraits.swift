/// The abilities of a protocol that the configuration, the queue and the screen must know.
public struct ProtocolTraits: Hashable, Sendable {
    /// True if an interrupted upload resumes where the server stopped; false if it starts again.
    public var resumes: Bool
    /// True if one upload may have several concurrent requests.
    public var isParallel: Bool
    /// The digests by which the protocol can confirm the received bytes, if the server supports them.
    public var checksums: Set<DigestAlgorithm>
    /// The policies for an existing file that the protocol supports; empty if it cannot detect one.
    public var existing: Set<ExistingFilePolicy>

    /// True if the URL names the file: two files with one URL overwrite each other. False if the server chooses the
    /// name.
    public var fillsPlace: Bool

    /// True if the server may answer a success with HTML. Otherwise HTML in a success comes from a captive portal or
    /// proxy.
    public var answersInPages: Bool

    public init(
        resumes: Bool, isParallel: Bool = false, fillsPlace: Bool = false, answersInPages: Bool = false,
        checksums: Set<DigestAlgorithm> = [],
        existing: Set<ExistingFilePolicy> = []
    ) {
        self.resumes = resumes
        self.isParallel = isParallel
        self.fillsPlace = fillsPlace
        self.answersInPages = answersInPages
        self.checksums = checksums
        self.existing = existing
    }
}

/// The policy for a file that exists on the server.
public enum ExistingFilePolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// Keeps a file of the same size, and of the same digest if the server reports one. Any other file is replaced.
    case skip
    case replace
    /// Gives the file another name: `name (2).ext`.
    case rename
    case fail
}
