import FerryTransfer

struct TLSFields: Decodable {
    private var settings = TLSSettings()
    private var isInsecure: Bool

    init(from decoder: any Decoder) throws {
        let fields = try Fields(decoder, ConfigurationTable.tls)
        settings.checksFiles = true
        settings.caFile = try fields.value("caFile").map(LocalFiles.configured)
        settings.certificate = try fields.value("certificate").map(LocalFiles.configured)
        settings.key = try fields.value("key").map(LocalFiles.configured)
        if (settings.certificate == nil) != (settings.key == nil) {
            throw fields.error(
                settings.key == nil ? "key" : "certificate", "both certificate and key, or neither")
        }
        let pins: [String] = try fields.value("pins") ?? []
        settings.pins = try pins.map { text in
            guard let pin = SPKIPin(text) else {
                throw fields.error(
                    "pins",
                    "the SHA-256 of a public key, as \"sha256//\" and 44 characters of base64, not \(text)")
            }
            return pin
        }
        settings.minimumVersion = try fields.choice("minimumVersion") ?? settings.minimumVersion
        settings.allowsLegacyCiphers = try fields.value("allowLegacyCiphers") ?? false
        isInsecure = try fields.value("insecure") ?? false
    }

    /// Returns the TLS settings for the server of `url`. The member `insecure` applies only to the host in `url`.
    func settings(for url: URL) -> TLSSettings {
        var settings = settings
        if isInsecure, let host = url.host(percentEncoded: false) {
            settings.insecureHosts = [host.lowercased()]
        }
        return settings
    }
}
