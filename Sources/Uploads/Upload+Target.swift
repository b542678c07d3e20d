public import FerryProtocols
import FerryTransfer

extension Upload {
    /// The destination, protocol and name of an upload, which later changes of the configuration do not change.
    ///
    /// A copy with another name shares the memory of all other values with its original. A queue of a million uploads
    /// has few destinations and a million names.
    public struct Target: Hashable, Sendable {
        /// The name of the file on the server.
        public var name: String
        private var shared: Shared

        /// A form parameter, or an entry of the metadata. To send a list, several entries have the same name.
        public typealias Field = UploadItem.Parameter

        /// All values but the name.
        private struct Rest: Hashable {
            var destination: String
            var url: String
            var protocolName: String
            var fields: [Field]
            var existing: ExistingFilePolicy?

            /// Returns true if all texts have the same bytes. `==` is also true for other Unicode forms of a letter.
            func hasBytes(of other: Rest) -> Bool {
                existing == other.existing && hasBytes(destination, other.destination)
                    && hasBytes(url, other.url) && hasBytes(protocolName, other.protocolName)
                    && fields.elementsEqual(other.fields) {
                        hasBytes($0.name, $1.name) && hasBytes($0.value, $1.value)
                    }
            }

            private func hasBytes(_ one: String, _ other: String) -> Bool {
                one.utf8.elementsEqual(other.utf8)
            }
        }

        private final class Shared: Sendable {
            let rest: Rest

            init(_ rest: Rest) { self.rest = rest }
        }

        public init(
            destination: String, url: String, protocolName: String, name: String, fields: [Field] = [],
            existing: ExistingFilePolicy? = nil
        ) {
            self.name = name
            shared = Shared(
                Rest(
                    destination: destination, url: url, protocolName: protocolName, fields: fields,
                    existing: existing))
        }

        /// The name of the configured destination, which has the credentials, header fields and TLS settings. Empty for
        /// a URL from the command line.
        public var destination: String {
            get { shared.rest.destination }
            set { change { $0.destination = newValue } }
        }

        /// The URL of the destination without user name and password, and without the query if it is configured.
        /// `{name}` in it stands for the name of the file.
        public var url: String {
            get { shared.rest.url }
            set { change { $0.url = newValue } }
        }

        /// The name of the protocol, such as `tus` or `s3`. `ProtocolCatalog` contains all names.
        public var protocolName: String {
            get { shared.rest.protocolName }
            set { change { $0.protocolName = newValue } }
        }

        /// The form parameters or the metadata of the upload, those of the destination first.
        public var fields: [Field] {
            get { shared.rest.fields }
            set { change { $0.fields = newValue } }
        }

        /// The policy for an existing file on the server; nil for that of the destination.
        public var existing: ExistingFilePolicy? {
            get { shared.rest.existing }
            set { change { $0.existing = newValue } }
        }

        private mutating func change(_ body: (inout Rest) -> Void) {
            var rest = shared.rest
            body(&rest)
            shared = Shared(rest)
        }

        /// Lets this target use the memory of `other` if they differ only in the name.
        mutating func share(with other: Target) {
            if shared !== other.shared, shared.rest.hasBytes(of: other.shared.rest) { shared = other.shared }
        }

        func sharesMemory(with other: Target) -> Bool { shared === other.shared }

        public static func == (one: Target, other: Target) -> Bool {
            one.name == other.name && (one.shared === other.shared || one.shared.rest == other.shared.rest)
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(shared.rest)
        }
    }
}

extension Upload.Target: Codable {
    private enum CodingKeys: String, CodingKey {
        case destination, url, name, fields, existing
        case protocolName = "method"
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            destination: try members.decode(String.self, forKey: .destination),
            url: try members.decode(String.self, forKey: .url),
            protocolName: try members.decode(String.self, forKey: .protocolName),
            name: try members.decode(String.self, forKey: .name),
            fields: try members.decode([Field].self, forKey: .fields),
            existing: try members.decodeIfPresent(ExistingFilePolicy.self, forKey: .existing))
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(destination, forKey: .destination)
        try members.encode(url, forKey: .url)
        try members.encode(protocolName, forKey: .protocolName)
        try members.encode(name, forKey: .name)
        try members.encode(fields, forKey: .fields)
        try members.encodeIfPresent(existing, forKey: .existing)
    }
}
