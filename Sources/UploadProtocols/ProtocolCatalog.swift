/// Every protocol Ferry speaks, by name. The only place that lists them.
public enum ProtocolCatalog {
    public struct Entry: Sendable {
        public let name: String
        public let traits: ProtocolTraits
        /// Makes the protocol for one attempt.
        public let make: @Sendable (UploadItem, ProtocolOptions) -> any UploadProtocol
    }

    public static let entries: [Entry] = [
        Entry(name: PutUpload.name, traits: PutUpload.traits) { PutUpload(item: $0, options: $1) },
        Entry(name: PostUpload.name, traits: PostUpload.traits) { PostUpload(item: $0, options: $1) },
        Entry(name: FormUpload.name, traits: FormUpload.traits) { FormUpload(item: $0, options: $1) },
        Entry(name: TusUpload.name, traits: TusUpload.traits) { TusUpload(item: $0, options: $1) },
    ]

    public static func entry(named name: String) -> Entry? { entries.first { $0.name == name } }
    public static var names: [String] { entries.map(\.name) }
}
