import FerryProtocols
import FerryTransfer
import HTTPTypes

/// The secrets of a destination that `RequestSender` cannot find in requests by itself. `DestinationRunner` passes
/// these secrets to `RequestSender`, which removes them from messages.
extension Destination {
    /// Returns the values of form parameters and metadata that are secrets, judged by their names.
    ///
    /// - Parameter fields: The form parameters or metadata of one upload, with or without those of the destination.
    func secrets(among fields: [Upload.Target.Field]) -> [String] {
        let all = (parameters + fields).map { ($0.name, $0.value) }
        // Shorter values are parts of many ordinary words, which would be removed from messages too.
        return all.filter { $0.1.count >= 4 && Redaction.tellsSecret($0.0) }.map(\.1)
    }

    /// The values of configured header fields that are possibly secrets, although their names do not show it. A value
    /// that is a part of the destination's URL is left out.
    var possibleSecrets: [String] {
        fields.filter(Redaction.mayHoldSecret).map(\.value).filter { !url.contains($0) }
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
