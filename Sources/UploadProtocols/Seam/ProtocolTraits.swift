/// The abilities of a protocol that the configuration, the queue and the screen must know.
public struct ProtocolTraits: Hashable, Sendable {
    /// True if an interrupted upload goes on where the server stopped; false if it starts again.
    public var resumes: Bool
    /// True if one upload may have several requests under way at once.
    public var isParallel: Bool
    /// The digests by which it can have what arrived confirmed, where the server does its part.
    public var checksums: Set<DigestAlgorithm>
    /// The policies for an existing file that the protocol supports; empty if it cannot know of one.
    public var existing: Set<ExistingFilePolicy>

    /// True if the address decides where a file goes, so that two files of one address are one place; false if the
    /// server decides.
    public var fillsPlace: Bool

    /// True if a page for people (HTML) may come with a success; false if it then comes from somebody else.
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

/// The policy for a file that exists at the server already.
public enum ExistingFilePolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// Keeps a file of the same size, and of the same digest if the server reports one. Any other file is replaced.
    case skip
    case replace
    /// The file gets another name: `name (2).ext`.
    case rename
    case fail
}
