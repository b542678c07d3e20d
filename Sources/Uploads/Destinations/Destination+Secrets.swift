import FerryProtocols
import FerryTransfer
import HTTPTypes

/// The secrets of a destination that the sender cannot recognize in the URLs and header fields of requests. It removes
/// them from messages.
extension Destination {
    /// Returns the secrets in the bodies of requests, and those in configured header fields whose names reveal nothing.
    ///
    /// - Parameter sent: The form parameters or metadata of one upload, with or without those of the destination.
    func secrets(among sent: [Upload.Target.Field]) -> [String] {
        // Shorter values are parts of many ordinary words, which would be removed from messages too.
        let inBodies = (parameters + sent).filter {
            $0.value.count >= 4 && Redaction.tellsSecret($0.name)
        }.map(\.value)
        return inBodies + fields.filter(Redaction.mayHoldSecret).map(\.value)
    }

    /// The `Proxy-Authorization` header field; empty without a proxy, if the proxy's URL names no user, or if the
    /// password cannot be read.
    var proxyFields: HTTPFields {
        get async {
            guard let address = try? proxy.proxy(for: url), address.user != nil,
                let value = try? await address.authorization()
            else { return [:] }
            return [.proxyAuthorization: value]
        }
    }
}
