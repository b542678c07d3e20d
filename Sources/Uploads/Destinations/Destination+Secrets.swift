import FerryProtocols
import FerryTransfer
import HTTPTypes

extension Upload.Target {
    /// The URL, the name and the field values of the upload, which the queue stores as the user gave them. If one of
    /// them contains a text that is also a secret of a request, that text is on disk in any case. So the queue then
    /// also stores what the server says with it.
    var plainTexts: [String] { [url, name] + fields.map(\.value) }
}

/// The secrets of a destination that `RequestSender` cannot recognize in requests. `DestinationRunner` passes them to
/// `RequestSender`, which removes them from error messages and other texts.
extension Destination {
    /// Returns the values of form parameters and metadata whose names suggest a secret. Values of fewer than 4
    /// characters are left out.
    ///
    /// - Parameter fields: The form parameters or metadata of one upload. Those of the destination are always searched
    ///   too.
    func secrets(among fields: [Upload.Target.Field]) -> [String] {
        let all = (parameters + fields).map { ($0.name, $0.value) }
        // Shorter values are parts of many ordinary words, which would be removed from texts too.
        return all.filter { $0.1.count >= 4 && Redaction.tellsSecret($0.0) }.map(\.1)
    }

    /// The values of configured header fields that are possibly secrets, although the names of the fields do not
    /// suggest it. Values that occur in the destination's URL are left out.
    var possibleSecrets: [String] {
        fields.filter(Redaction.mayHoldSecret).map(\.value).filter { !url.contains($0) }
    }

    /// The header field `Proxy-Authorization` with the credentials for the proxy, which are secrets too. Empty if there
    /// is no proxy, if the proxy's URL contains no user name, or if the password cannot be read.
    var proxyFields: HTTPFields {
        get async {
            guard let address = try? proxy.proxy(for: url), address.user != nil,
                let value = try? await address.authorization()
            else { return [:] }
            return [.proxyAuthorization: value]
        }
    }
}
