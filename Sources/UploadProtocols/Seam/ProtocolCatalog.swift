/// Every protocol Ferry speaks, by name. The only place that lists them.
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

        init<Kind: UploadProtocol>(
            _ kind: Kind.Type, check: (@Sendable (String, ProtocolOptions) -> any DestinationCheck)? = nil,
            make: @escaping @Sendable (UploadItem, ProtocolOptions) -> Kind
        ) {
            name = kind.name
            traits = kind.traits
            self.make = make
            self.check = check
        }
    }

    /// In the order they are listed for people.
    public static let entries: [Entry] = [
        Entry(
            AutoUpload.self, check: { AutoCheck(url: $0, options: $1) },
            make: { AutoUpload(item: $0, options: $1) }),
        Entry(
            PutUpload.self, check: { PutCheck(url: $0, options: $1) },
            make: { PutUpload(item: $0, options: $1) }),
        Entry(PostUpload.self) { PostUpload(item: $0, options: $1) },
        Entry(FormUpload.self) { FormUpload(item: $0, options: $1) },
        Entry(
            TusUpload.self, check: { TusCheck(url: $0, options: $1) },
            make: { TusUpload(item: $0, options: $1) }),
        Entry(
            ResumableUpload.self, check: { ResumableCheck(url: $0, options: $1) },
            make: { ResumableUpload(item: $0, options: $1) }),
        Entry(
            S3Upload.self, check: { S3Check(url: $0, options: $1) },
            make: { S3Upload(item: $0, options: $1) }),
        Entry(
            WebDAVUpload.self, check: { WebDAVCheck(url: $0, options: $1) },
            make: { WebDAVUpload(item: $0, options: $1) }),
        Entry(
            NextcloudUpload.self, check: { NextcloudCheck(url: $0, options: $1) },
            make: { NextcloudUpload(item: $0, options: $1) }),
        Entry(
            GoogleUpload.self, check: { url, _ in GoogleCheck(url: url) },
            make: { GoogleUpload(item: $0, options: $1) }),
        Entry(
            GraphUpload.self, check: { url, _ in GraphCheck(url: url) },
            make: { GraphUpload(item: $0, options: $1) }),
        Entry(
            AzureUpload.self, check: { url, _ in AzureCheck(url: url) },
            make: { AzureUpload(item: $0, options: $1) }),
    ]

    /// nil if there is no such protocol.
    public static func entry(named name: String) -> Entry? { entries.first { $0.name == name } }
    /// In the order of `entries`.
    public static var names: [String] { entries.map(\.name) }
}
