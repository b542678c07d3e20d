import FerryFiles
import HTTPTypes

/// A lookup of one URL by `PROPFIND`, or by `HEAD` if the server does not support `PROPFIND`.
struct PropertyLookup: Sendable {
    enum Verdict: Sendable {
        case ask(Exchange)
        case found(FoundEntry, ours: [ComputedDigest])
        /// The response does not show whether there is a file or a folder at the URL.
        case failed(UploadFailure)
    }

    private enum Phase: Sendable {
        case properties
        /// A `HEAD` request. `refusal` is the response that refused this lookup's `PROPFIND`, if it began with one.
        case head(refusal: ExchangeOutcome.Response?)
        /// A second `HEAD`, with a slash at the end: without it, some servers respond for a folder as for a file.
        case slash(FoundFile, ours: [ComputedDigest])
    }

    let address: WebDAVAddress
    private let orders: [DigestRequest]
    private let asksChecksums: Bool
    private var phase: Phase

    /// - Parameters:
    ///   - takesPropfind: False to begin with `HEAD`.
    ///   - asksChecksums: True to request the file's digests from ownCloud and Nextcloud.
    ///   - orders: The digests of the local file to compute during the lookup.
    init(
        _ address: WebDAVAddress, takesPropfind: Bool, asksChecksums: Bool = false,
        orders: [DigestRequest] = []
    ) {
        self.address = address
        self.asksChecksums = asksChecksums
        self.orders = orders
        phase = takesPropfind ? .properties : .head(refusal: nil)
    }

    var takesPropfind: Bool { if case .properties = phase { true } else { false } }

    func start() -> Exchange {
        var exchange: Exchange
        switch phase {
        case .properties:
            exchange = WebDAVProperties.exchange(
                address.url,
                [.resourcetype, .getcontentlength, .getetag, .getlastmodified]
                    + (asksChecksums ? [.checksums] : []))
        case .head, .slash: exchange = Exchange(.head, address.url)
        }
        exchange.digests = orders
        return exchange
    }

    mutating func receive(_ response: ExchangeOutcome.Response) -> Verdict {
        switch phase {
        case .properties: return receiveProperties(response)
        case .head(let refusal):
            switch response.status {
            case 200..<300:
                phase = .slash(FoundFile(headed: response.fields), ours: response.digests)
                return .ask(Exchange(.head, address.asFolder.url))
            case 404, 410: return .found(.nothing, ours: [])
            case 301...308 where isSlashed(response): return .found(.folder, ours: [])
            default:
                // A response to HEAD has no body. The refusal of PROPFIND with the same status has the reason.
                let explained = refusal.flatMap { $0.status == response.status ? $0 : nil }
                return .failed(WebDAVFailure.failure(explained ?? response))
            }
        case .slash(let file, let ours):
            if response.isSuccess || [401, 403].contains(response.status) {
                return .found(.folder, ours: ours)
            }
            // A temporary error does not show that the URL is not a folder.
            let failure = WebDAVFailure.failure(response)
            if failure.isTransient { return .failed(failure) }
            return .found(.file(file), ours: ours)
        }
    }

    private mutating func receiveProperties(_ response: ExchangeOutcome.Response) -> Verdict {
        switch response.status {
        case 207:
            guard let properties = WebDAVProperties.one(in: response, at: address) else { break }
            return .found(properties.isFolder ? .folder : .file(properties.file), ours: response.digests)
        // Some servers send 409 if the folder of the URL is missing.
        case 404, 409, 410: return .found(.nothing, ours: [])
        case 301...308 where isSlashed(response): return .found(.folder, ours: [])
        case 200..<300, 400, 405, 415, 501: break
        default: return .failed(WebDAVFailure.failure(response))
        }
        phase = .head(refusal: response)
        return .ask(start())
    }

    /// True for a redirect to the same path with a slash at its end, as servers send for a folder.
    private func isSlashed(_ response: ExchangeOutcome.Response) -> Bool {
        guard let location = response.fields[.location],
            let target = UploadAddress.absolute(location, against: address.url)
        else { return false }
        return WebDAVAddress(target.absoluteString).path == address.asFolder.path
    }
}
