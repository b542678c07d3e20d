import FerryProtocols
import FerryTransfer
import FerryUploads
import HTTPTypes

struct DestinationSettings: Decodable, Equatable {
    var url: String
    var protocolName: String
    var options: ProtocolOptions
    var headers: [String: String]
    var parameters: [UploadItem.Parameter]
    var authentication: AuthenticationSettings
    var s3 = S3Fields()
    var tls: TLSSettings
    /// The proxy of the destination; nil to use the proxy in `Configuration.proxy`.
    var proxy: ProxyChoice?
    /// The TCP congestion control algorithm; nil for the system's default.
    var congestionControl: CongestionControl?
    var bandwidth = Timetable()

    /// The maximum bytes of a header field's value. By default, nginx and Apache accept about 8 KiB.
    private static let longestHeader = 8 << 10
    /// The maximum bytes of all configured header fields. The whole request head must fit into 32 KiB.
    private static let allHeaders = 12 << 10

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.destination)
        let given: S3Fields? = try fields.value("s3")
        s3 = given ?? s3
        let address = try s3.resolved(try fields.value("url") ?? "", in: fields)
        let url = address.url
        if let expected = UploadAddress.expectation(brokenBy: url) { throw fields.error("url", expected) }
        guard let parsed = URL(string: url) else { throw fields.error("url", UploadAddress.anyAddress) }
        guard parsed.user() == nil, parsed.password() == nil else {
            throw fields.error("url", "an address without user and password; they go into auth")
        }
        guard url.utf8.count <= UploadAddress.longest else {
            throw fields.error("url", "an address of at most \(UploadAddress.longest) bytes")
        }
        self.url = url
        let name: String = try fields.value("protocol") ?? AutoUpload.name
        guard let entry = ProtocolCatalog.entry(named: name) else {
            throw fields.error("protocol", Fields.expectation(of: ProtocolCatalog.names, brokenBy: name))
        }
        protocolName = name
        options = try ProtocolOptions(fields, for: entry)
        headers = try Self.headers(fields)
        let values: [String: ParameterValue] = try fields.value("parameters") ?? [:]
        parameters = values.sorted { $0.key < $1.key }.flatMap { name, value in
            value.values.map { UploadItem.Parameter(name: name, value: $0) }
        }
        authentication = try fields.value("auth") ?? (name == S3Upload.name ? .s3(.found) : .none)
        options.s3.bucketInPath = address.bucketInPath
        options.s3.storageClass = s3.storageClass
        tls = try fields.value("tls", as: TLSFields.self)?.settings(for: parsed) ?? TLSSettings()
        if !tls.pins.isEmpty, parsed.scheme?.lowercased() != "https" {
            throw fields.error("tls.pins", "an https address in url")
        }
        proxy = try fields.value("proxy")
        congestionControl = try fields.text(
            "congestionControl", "an algorithm of the kernel such as \"bbr\" or \"cubic\"",
            CongestionControl.init)
        bandwidth = try fields.value("limits", as: DestinationLimits.self)?.bandwidth ?? bandwidth
        try checkS3(fields, isGiven: given != nil)
    }

    private static func headers(_ fields: Fields) throws -> [String: String] {
        let headers: [String: String] = try fields.value("headers") ?? [:]
        for (name, value) in headers {
            guard HTTPField.Name(name) != nil else {
                throw fields.error("headers.\(name)", "a valid field name")
            }
            guard HTTPField.isValidValue(value) else {
                throw fields.error("headers.\(name)", "a value without line breaks")
            }
            guard value.utf8.count <= longestHeader else {
                throw fields.error("headers.\(name)", "a value of at most \(longestHeader) bytes")
            }
        }
        guard headers.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) <= allHeaders else {
            throw fields.error("headers", "at most \(allHeaders) bytes in all")
        }
        return headers
    }

    /// Throws if an `s3://` URL has another protocol, or if the member `s3` is given (`isGiven`) and not needed.
    private func checkS3(_ fields: Fields, isGiven: Bool) throws {
        guard protocolName != S3Upload.name else { return }
        if S3Location.isLocation(try fields.value("url") ?? "") {
            throw fields.error("protocol", "\(S3Upload.name), for an address that begins with s3://")
        }
        if case .s3 = authentication { return }
        if isGiven {
            throw fields.error("s3", "no such member: the protocol \(protocolName) does not know it")
        }
    }

    /// The warnings about risky settings, and settings without effect.
    var warnings: [String] {
        let insecure = tls.insecureHosts.sorted().joined(separator: ", ")
        return [
            insecure.isEmpty
                ? nil
                : "the certificate of \(insecure) is NOT verified: anybody between here and there can read and change "
                    + "what is sent (tls.insecure)",
            congestionControl?.refusal.map { "congestionControl has no effect: \($0)" },
        ].compactMap { $0 }
    }
}

/// The value of a form parameter: a text, a number, true, false or a list of them, which repeats the parameter.
private struct ParameterValue: Decodable {
    var values: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            values = [text]
        } else if let flag = try? container.decode(Bool.self) {
            values = [flag ? "true" : "false"]
        } else if let number = try? container.decode(Int64.self) {
            values = ["\(number)"]
        } else if let number = try? container.decode(Double.self) {
            values = ["\(number)"]
        } else if let list = try? container.decode([ParameterValue].self) {
            values = list.flatMap(\.values)
        } else {
            throw ConfigurationIssue(
                path: decoder.codingPath.names,
                expected: "text, a number, true, false or a list of them")
        }
    }
}
