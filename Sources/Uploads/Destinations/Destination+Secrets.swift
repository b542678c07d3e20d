import FerryProtocols
import FerryTransfer
import HTTPTypes

/// The secrets of a destination that do not appear in the URLs and header fields of its requests, but in their bodies
/// or in the URL of the proxy. The sender removes these secrets from messages.
extension Destination {
    /// Returns the secrets that requests carry in their bodies.
    ///
    /// - Parameter fields: The form parameters or metadata of one upload, with or without those of the destination.
    func secrets(among fields: [Upload.Target.Field]) -> [String] {
        let all = (parameters + fields).map { ($0.name, $0.value) }
        // Shorter values are parts of many ordinary words, which would be removed from messages too.
        return all.filter { $0.1.count >= 4 && Redaction.tellsSecret($0.0) }.map(\.1)
    }

    /// The `Proxy-Authorization` header field; empty if the proxy's URL names no user.
    var proxyFields: HTTPFields {
        get async {
            guard let address = try? proxy.proxy(for: url), address.user != nil,
                let value = try? await address.authorization()
            else { return [:] }
            return [.proxyAuthorization: value]
        }
    }
}
