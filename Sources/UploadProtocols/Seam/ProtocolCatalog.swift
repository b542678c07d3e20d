import Synchronization

/// All protocols that uploads can use, by name: Ferry's own, and those that a program registers.
public enum ProtocolCatalog {
    /// One protocol.
    public struct Entry: Sendable {
        private let kind: any UploadProtocol.Type

        /// Describes the protocol of this type.
        public init(_ kind: any UploadProtocol.Type) { self.kind = kind }

        /// The name in the configuration and in front of an address: `tus+https://…`.
        public var name: String { kind.name }
        /// The abilities of the protocol, the same for every upload.
        public var traits: ProtocolTraits { kind.traits }

        /// Makes the protocol for one attempt.
        public func make(_ item: UploadItem, _ options: ProtocolOptions) -> any UploadProtocol {
            kind.init(item: item, options: options)
        }

        /// Makes the questions to a destination at this address; nil if there is nothing to ask.
        public func check(_ url: String, _ options: ProtocolOptions) -> (any DestinationCheck)? {
            kind.check(url: url, options: options)
        }
    }

    private static let registered = Mutex<[Entry]>([])

    /// Adds a protocol for the whole process. Do so before a queue starts that holds uploads by it.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if there is one of this name already, or if the name cannot stand in
    ///   front of an address. It may have lower-case letters, digits and hyphens, the first a letter (RFC 3986 §3.1).
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

    /// The entries in the order in which people see them: Ferry's own, then those that were registered.
    public static var entries: [Entry] { own + registered.withLock { $0 } }

    private static let own: [Entry] = [
        .auto, .put, .post, .form, .tus, .resumable, .s3, .webdav, .nextcloud, .google, .graph, .azure,
    ]

    /// The entry of this name; nil if there is no such protocol.
    public static func entry(named name: String) -> Entry? {
        own.first { $0.name == name } ?? registered.withLock { known in known.first { $0.name == name } }
    }
    /// The names in the order of `entries`.
    public static var names: [String] { entries.map(\.name) }
}

/// Ferry's own.
extension ProtocolCatalog.Entry {
    /// Finds out which protocol the server speaks: ``AutoUpload``.
    public static let auto = Self(AutoUpload.self)
    /// ``PutUpload``.
    public static let put = Self(PutUpload.self)
    /// ``PostUpload``.
    public static let post = Self(PostUpload.self)
    /// ``FormUpload``.
    public static let form = Self(FormUpload.self)
    /// ``TusUpload``.
    public static let tus = Self(TusUpload.self)
    /// ``ResumableUpload``.
    public static let resumable = Self(ResumableUpload.self)
    /// ``S3Upload``.
    public static let s3 = Self(S3Upload.self)
    /// ``WebDAVUpload``.
    public static let webdav = Self(WebDAVUpload.self)
    /// ``NextcloudUpload``.
    public static let nextcloud = Self(NextcloudUpload.self)
    /// ``GoogleUpload``.
    public static let google = Self(GoogleUpload.self)
    /// ``GraphUpload``.
    public static let graph = Self(GraphUpload.self)
    /// ``AzureUpload``.
    public static let azure = Self(AzureUpload.self)
}
