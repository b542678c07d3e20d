import HTTPTypes
import UploadProtocols

extension ProtocolOptions {
    /// The members of a destination that say how its protocol is used.
    static let keys = [
        "method", "field", "idempotencyKey", "chunkSize", "parallel", "checksum", "ifExists", "deferLength",
    ]

    /// - Throws: `ConfigurationMistake`, also for what the protocol cannot do.
    init(_ fields: Fields, for entry: ProtocolCatalog.Entry) throws {
        self.init(
            method: try fields.value("method"), fileField: try fields.value("field") ?? "file",
            sendsIdempotencyKey: try fields.value("idempotencyKey") ?? false,
            chunkSize: try fields.amount("chunkSize"),
            parallelRequests: try fields.number("parallel", in: 1...64),
            defersLength: try fields.value("deferLength") ?? false)
        if let method, HTTPRequest.Method(method) == nil {
            throw fields.error("method", "a request method, such as PUT")
        }
        if parallelRequests ?? 1 > 1, !entry.traits.isParallel {
            throw fields.error("parallel", "1, or no such member: \(entry.name) sends one request at a time")
        }
        checksum = try Self.able(fields, "checksum", entry.traits.checksums, none: "none", entry)
        existing = try Self.able(fields, "ifExists", entry.traits.existing, none: nil, entry)
    }

    private static func able<Choice: RawRepresentable<String> & CaseIterable & Hashable>(
        _ fields: Fields, _ key: String, _ able: Set<Choice>, none: String?, _ entry: ProtocolCatalog.Entry
    ) throws -> Choice? {
        guard let name: String = try fields.value(key), name != none else { return nil }
        if let choice = Choice(rawValue: name), able.contains(choice) { return choice }
        let names = Choice.allCases.filter(able.contains).map(\.rawValue) + [none].compactMap { $0 }
        throw fields.error(
            key,
            names.isEmpty
                ? "no such member: \(entry.name) cannot know"
                : "one of "
                    + names.joined(separator: ", ") + " (that is what \(entry.name) can do)")
    }
}
