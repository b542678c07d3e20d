import FerryProtocols
import FerryTransfer
import HTTPTypes

extension Upload.Target {
    /// The URL, the name and the field values, which the queue stores as the user gave them. A secret that is also one
    /// of these texts is on disk in any case, so it is not removed from what the server says.
    var plainTexts: [String] { [url, name] + fields.map(\.value) }
}

/// The secrets of a destination that `RequestSender` cannot recognize in requests.
extension Destination {
    /// Returns the values of form parameters or metadata whose names suggest a secret.
    func secrets(among fields: [Upload.Target.Field]) -> [String] {
        // Shorter values are parts of many ordinary words, which would be removed from texts too.
        (parameters + fields).filter { $0.value.count >= 4 && Redaction.tellsSecret($0.name) }.map(\.value)
    }

    /// The values of configured header fields that may be secrets, although the names of the fields do not suggest it.
    var possibleSecrets: [String] {
        fields.filter(Redaction.mayHoldSecret).map(\.value).filter { !url.contains($0) }
    }

    /// The header field `Proxy-Authorization`; empty without credentials, or if the password cannot be read.
    var proxyFields: HTTPFields {
        get async {
            guard let address = try? proxy.proxy(for: url), address.user != nil,
                let value = try? await address.authorization()
            else { return [:] }
            return [.proxyAuthorization: value]
        }
    }
}
