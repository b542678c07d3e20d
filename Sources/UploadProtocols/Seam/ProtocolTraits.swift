/// What a protocol can and cannot do, as far as the configuration, the queue and the screen must know.
public struct ProtocolTraits: Hashable, Sendable {
    /// True if an interrupted upload goes on where the server stopped; false if it starts again.
    public var resumes: Bool
    /// True if one upload may have several requests under way at once.
    public var isParallel: Bool
    /// The digests by which it can have what arrived confirmed, where the server does its part.
    public var checksums: Set<DigestAlgorithm>
    /// What it can do about a file that is already there; empty if it cannot know.
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

/// What becomes of a file whose place at the server is taken.
public enum ExistingFilePolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// What is there with the same size, and the same digest where the server tells one, is not sent again; anything
    /// else is replaced.
    case skip
    case replace
    /// The file gets another name: `name (2).ext`.
    case rename
    case fail
}
