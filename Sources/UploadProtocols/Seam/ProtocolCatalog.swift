import Synchronization

/// Every protocol that uploads can go by, by name: Ferry's own, and those that a program registers.
public enum ProtocolCatalog {
    /// One protocol and how to make it.
    public struct Entry: Sendable {
        /// As in the configuration and in front of an address: `tus+https://…`.
        public let name: String
        /// The same for every upload by this protocol.
        public let traits: ProtocolTraits
        /// Makes the protocol for one attempt.
        public let make: @Sendable (UploadItem, ProtocolOptions) -> any UploadProtocol
        /// Makes what asks a destination at this address what it can do; nil if there is nothing to ask.
        public let check: (@Sendable (_ url: String, ProtocolOptions) -> any DestinationCheck)?

        /// - Parameters:
        ///   - kind: Says its name and its traits.
        ///   - check: nil if a destination is not asked before it is used.
        public init<Kind: UploadProtocol>(
            _ kind: Kind.Type, check: (@Sendable (String, ProtocolOptions) -> any DestinationCheck)? = nil,
            make: @escaping @Sendable (UploadItem, ProtocolOptions) -> Kind
        ) {
            name = kind.name
            traits = kind.traits
            self.make = make
            self.check = check
        }
    }

    private static let registered = Mutex<[Entry]>([])

    /// Adds a protocol for the whole process. Do so before a queue starts that holds uploads by it.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if there is one of this name already, or if the name cannot stand in
    ///   front of an address: lower-case letters, digits and hyphens, of which a letter is the first (RFC 3986 §3.1).
    public static func register(_ entry: Entry) throws(UploadFailure) {
        guard entry.name.wholeMatch(of: /[a-z][a-z0-9-]*/) != nil else {
            throw UploadFailure(
                .permanent,
                "the protocol \(entry.name.debugDescription) cannot be registered: its name is not valid",
                hint: "use lower-case letters, digits and hyphens, and begin with a letter")
        }
        let isNew = registered.withLock { known in
            guard !(own + known).contains(where: { $0.name == entry.name }) else { return false }
            known.append(entry)
            return true
        }
        guard isNew else {
            throw UploadFailure(
                .permanent, "the protocol \(entry.name) cannot be registered: there is one of that name")
        }
    }

    /// In the order they are listed for people: Ferry's own, then those that were registered.
    public static var entries: [Entry] { own + registered.withLock { $0 } }

    private static let own: [Entry] = [
        .auto, .put, .post, .form, .tus, .resumable, .s3, .webdav, .nextcloud, .google, .graph, .azure,
    ]

    /// nil if there is no such protocol.
    public static func entry(named name: String) -> Entry? {
        own.first { $0.name == name } ?? registered.withLock { known in known.first { $0.name == name } }
    }
    /// In the order of `entries`.
    public static var names: [String] { entries.map(\.name) }
}

/// Ferry's own.
extension ProtocolCatalog.Entry {
    /// Finds out which protocol the server speaks: ``AutoUpload``.
    public static let auto = Self(
        AutoUpload.self, check: { AutoCheck(url: $0, options: $1) },
        make: { AutoUpload(item: $0, options: $1) })
    /// ``PutUpload``.
    public static let put = Self(
        PutUpload.self, check: { PutCheck(url: $0, options: $1) }, make: { PutUpload(item: $0, options: $1) })
    /// ``PostUpload``.
    public static let post = Self(PostUpload.self) { PostUpload(item: $0, options: $1) }
    /// ``FormUpload``.
    public static let form = Self(FormUpload.self) { FormUpload(item: $0, options: $1) }
    /// ``TusUpload``.
    public static let tus = Self(
        TusUpload.self, check: { TusCheck(url: $0, options: $1) }, make: { TusUpload(item: $0, options: $1) })
    /// ``ResumableUpload``.
    public static let resumable = Self(
        ResumableUpload.self, check: { ResumableCheck(url: $0, options: $1) },
        make: { ResumableUpload(item: $0, options: $1) })
    /// ``S3Upload``.
    public static let s3 = Self(
        S3Upload.self, check: { S3Check(url: $0, options: $1) }, make: { S3Upload(item: $0, options: $1) })
    /// ``WebDAVUpload``.
    public static let webdav = Self(
        WebDAVUpload.self, check: { WebDAVCheck(url: $0, options: $1) },
        make: { WebDAVUpload(item: $0, options: $1) })
    /// ``NextcloudUpload``.
    public static let nextcloud = Self(
        NextcloudUpload.self, check: { NextcloudCheck(url: $0, options: $1) },
        make: { NextcloudUpload(item: $0, options: $1) })
    /// ``GoogleUpload``.
    public static let google = Self(
        GoogleUpload.self, check: { url, _ in GoogleCheck(url: url) },
        make: { GoogleUpload(item: $0, options: $1) })
    /// ``GraphUpload``.
    public static let graph = Self(
        GraphUpload.self, check: { url, _ in GraphCheck(url: url) },
        make: { GraphUpload(item: $0, options: $1) })
    /// ``AzureUpload``.
    public static let azure = Self(
        AzureUpload.self, check: { url, _ in AzureCheck(url: url) },
        make: { AzureUpload(item: $0, options: $1) })
}
