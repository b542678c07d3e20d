import FerryProtocols
import FerryTUI
import HTTPTypes

extension ProtocolOptions {
    /// Reads the options of a destination's protocol, and throws for one that the protocol does not support.
    init(_ fields: Fields, for entry: ProtocolCatalog.Entry) throws {
        self.init(
            method: try fields.value("method"), fileField: try fields.value("field") ?? "file",
            sendsIdempotencyKey: try fields.value("idempotencyKey") ?? false,
            chunkSize: try fields.amount("chunkSize"),
            parallelRequests: try fields.number("parallel"),
            defersLength: try fields.value("deferLength") ?? false,
            createsWithContent: try fields.value("createWithContent") ?? false)
        if let method, HTTPRequest.Method(method) == nil {
            throw fields.error("method", "a request method, such as PUT")
        }
        if parallelRequests ?? 1 > 1, !entry.traits.isParallel {
            throw fields.error("parallel", "1, or no such member: \(entry.name) sends one request at a time")
        }
        link = try fields.value("link", as: LinkFields.self)?.source
        if link != nil, ![PostUpload.name, FormUpload.name].contains(entry.name) {
            throw fields.error("link", "no such member: \(entry.name) knows where a file is")
        }
        let word: String? = try fields.value("checksum")
        let checksum = try Self.able(fields, "checksum", entry.traits.checksums, none: "none", entry)
        checksumChoice = checksum.map(ChecksumChoice.required) ?? (word == nil ? .offered : .none)
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
                : "one of \(names.joined(separator: ", ")), which is what \(entry.name) can do"
                    + Suggestions.remark(on: name, among: names))
    }
}

/// The member `link` of a destination: the part of a response that contains the URL of the uploaded file.
private struct LinkFields: Decodable {
    let source: LinkSource

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.link)
        let (pointer, header): (String?, String?) = (try fields.value("pointer"), try fields.value("header"))
        switch (pointer, header) {
        case (let pointer?, nil):
            guard let parsed = JSONPointer(pointer) else {
                throw fields.error("pointer", "a JSON pointer such as /files/0/url (RFC 6901)")
            }
            source = .pointer(parsed)
        case (nil, let header?):
            guard let name = HTTPField.Name(header) else {
                throw fields.error("header", "the name of a response header, such as X-Link")
            }
            source = .header(name)
        case (nil, nil), (_?, _?):
            throw fields.error("pointer", "either pointer or header")
        }
    }
}
