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
    }

    /// In the order they are listed for people.
    public static let entries: [Entry] = [
        Entry(name: PutUpload.name, traits: PutUpload.traits) { PutUpload(item: $0, options: $1) },
        Entry(name: PostUpload.name, traits: PostUpload.traits) { PostUpload(item: $0, options: $1) },
        Entry(name: FormUpload.name, traits: FormUpload.traits) { FormUpload(item: $0, options: $1) },
        Entry(name: TusUpload.name, traits: TusUpload.traits) { TusUpload(item: $0, options: $1) },
    ]

    /// nil if there is no such protocol.
    public static func entry(named name: String) -> Entry? { entries.first { $0.name == name } }
    /// In the order of `entries`.
    public static var names: [String] { entries.map(\.name) }
}
