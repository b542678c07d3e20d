import Synchronization

/// All protocols that uploads can use, by name: Ferry's own, and those that a program registers.
public enum ProtocolCatalog {
    /// The catalog's entry for one protocol.
    public struct Entry: Sendable {
        private let kind: any UploadProtocol.Type

        /// Makes the entry for a protocol type.
        public init(_ kind: any UploadProtocol.Type) { self.kind = kind }

        /// The name of the protocol in the configuration, and before the scheme of a URL: `tus+https://…`.
        public var name: String { kind.name }
        /// The properties that all uploads by the protocol share, such as whether an upload can resume.
        public var traits: ProtocolTraits { kind.traits }

        /// Makes a value of the protocol's type, for one attempt to upload `item`.
        public func make(_ item: UploadItem, _ options: ProtocolOptions) -> any UploadProtocol {
            kind.init(item: item, options: options)
        }

        /// Makes the check of the destination at this URL; nil if the protocol has no check.
        public func check(_ url: String, _ options: ProtocolOptions) -> (any DestinationCheck)? {
            kind.check(url: url, options: options)
        }
    }

    private static let registered = Mutex<[Entry]>([])

    /// Adds a protocol to the catalog of this process. Call this before you start a queue that uses the protocol.
    ///
    /// - Throws: `UploadFailure` (`permanent`) if another protocol has the same name, or if the name is not valid:
    ///   lower-case letters, digits and hyphens after a letter, as in a URL's scheme (RFC 3986 §3.1).
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

    /// The entries of all protocols in the order for display: first Ferry's own, then the registered ones.
    public static var entries: [Entry] { own + registered.withLock { $0 } }

    private static let own: [Entry] = [
        .auto, .put, .post, .form, .tus, .resumable, .s3, .webdav, .nextcloud, .google, .graph, .azure,
    ]

    /// Returns the entry of the protocol with this name; nil if there is no such protocol.
    public static func entry(named name: String) -> Entry? {
        own.first { $0.name == name } ?? registered.withLock { known in known.first { $0.name == name } }
    }
    /// The names of all protocols, in the order of `entries`.
    public static var names: [String] { entries.map(\.name) }
}

/// The catalog entries of Ferry's own protocols.
extension ProtocolCatalog.Entry {
    /// The catalog entry of ``AutoUpload``, which finds out which protocol the server supports.
    public static let auto = Self(AutoUpload.self)
    /// The catalog entry of the protocol `put` (``PutUpload``).
    public static let put = Self(PutUpload.self)
    /// The catalog entry of the protocol `post` (``PostUpload``).
    public static let post = Self(PostUpload.self)
    /// The catalog entry of the protocol `form` (``FormUpload``).
    public static let form = Self(FormUpload.self)
    /// The catalog entry of the protocol `tus` (``TusUpload``).
    public static let tus = Self(TusUpload.self)
    /// The catalog entry of the protocol `resumable` (``ResumableUpload``).
    public static let resumable = Self(ResumableUpload.self)
    /// The catalog entry of the protocol `s3` (``S3Upload``).
    public static let s3 = Self(S3Upload.self)
    /// The catalog entry of the protocol `webdav` (``WebDAVUpload``).
    public static let webdav = Self(WebDAVUpload.self)
    /// The catalog entry of the protocol `nextcloud` (``NextcloudUpload``).
    public static let nextcloud = Self(NextcloudUpload.self)
    /// The catalog entry of the protocol `google` (``GoogleUpload``).
    public static let google = Self(GoogleUpload.self)
    /// The catalog entry of the protocol `graph` (``GraphUpload``).
    public static let graph = Self(GraphUpload.self)
    /// The catalog entry of the protocol `azure` (``AzureUpload``).
    public static let azure = Self(AzureUpload.self)
}
