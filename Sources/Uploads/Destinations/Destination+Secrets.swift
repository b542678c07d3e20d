import FerryProtocols
import FerryTransfer
import HTTPTypes

/// The secrets that a session cannot find in the addresses and header fields of its requests.
extension Destination {
    /// Returns the secrets that requests carry in their bodies.
    ///
    /// - Parameter fields: The parameters of one upload, with or without those of the destination.
    func secrets(among fields: [Upload.Target.Field]) -> [String] {
        let all = (parameters + fields).map { ($0.name, $0.value) }
        // Shorter values occur in many words.
        return all.filter { $0.1.count >= 4 && Redaction.tellsSecret($0.0) }.map(\.1)
    }

    /// The header fields for the proxy; empty unless the proxy requires a password.
    var proxyFields: HTTPFields {
        get async {
            guard let address = try? proxy.proxy(for: url), address.user != nil,
                let value = try? await address.authorization()
            else { return [:] }
            return [.proxyAuthorization: value]
        }
    }
}
