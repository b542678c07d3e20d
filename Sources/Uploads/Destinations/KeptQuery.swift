import FerryFiles
import FerryProtocols
import FerryTransfer

/// The query of a destination's URL. It may be a signature or a key, so it is removed from the URLs in the queue's
/// files. When an upload resumes, the query is added again from the configuration.
struct KeptQuery: Sendable {
    /// The key of a list in a resource's `memory`. The list names the URLs from which the query was removed: the keys
    /// of these URLs in `memory`, separated by commas.
    private static let markField = "query"
    /// The name in the list under `markField` that stands for the resource's own `url`. This URL is not in `memory`.
    private static let addressName = "url"

    /// The items of the query, such as `key=value`, as written in the URL. Items that contain `{name}` are left out:
    /// they differ from file to file and are no secrets.
    private let items: [String]

    /// - Parameter url: The URL from the configuration or from the user.
    init(of url: String) {
        items = Self.split(url).items.filter { !$0.contains(UploadAddress.nameMark) }
    }

    /// Returns a recorder that removes the query from upload resources before it passes them to `recorder`.
    func recorder(_ recorder: any AttemptRecorder) -> any AttemptRecorder {
        items.isEmpty ? recorder : QuerylessRecorder(base: recorder, query: self)
    }

    /// Returns an upload resource without the query, in the form that the journal stores.
    func removed(from resource: UploadResource) -> UploadResource {
        guard !items.isEmpty else { return resource }
        var written = resource
        var shortened: [String] = []
        for (name, value) in resource.memory.members.sorted(by: { $0.key < $1.key })
        where value.contains("://") {
            let short = removed(from: value)
            guard short != value else { continue }
            written.memory[name] = short
            shortened.append(name)
        }
        written.url = removed(from: resource.url)
        if written.url != resource.url { shortened.append(Self.addressName) }
        if !shortened.isEmpty { written.memory[Self.markField] = shortened.joined(separator: ",") }
        return written
    }

    /// Adds the query to an upload resource from the journal, so that the upload can resume.
    func restored(_ written: UploadResource) -> UploadResource {
        guard let shortened = written.memory[Self.markField] else { return written }
        var resource = written
        resource.memory[Self.markField] = nil
        for name in shortened.split(separator: ",").map(String.init) {
            if name == Self.addressName {
                resource.url = restored(resource.url)
            } else {
                resource.memory[name] = resource.memory[name].map(restored)
            }
        }
        return resource
    }

    func removed(from receipt: Receipt) -> Receipt {
        var receipt = receipt
        receipt.location = receipt.location.map(removed)
        return receipt
    }

    private func removed(from url: String) -> String {
        let (base, own, end) = Self.split(url)
        let left = own.filter { !items.contains($0) }
        return left.count == own.count ? url : Self.joined(base, left, end)
    }

    private func restored(_ url: String) -> String {
        let (base, own, end) = Self.split(url)
        return Self.joined(base, items + own, end)
    }

    private static func joined(_ base: String, _ items: [String], _ end: String) -> String {
        base + (items.isEmpty ? "" : "?" + items.joined(separator: "&")) + end
    }

    /// Splits a URL into the text before its query, the items of the query, and the fragment with its `#`.
    private static func split(_ url: String) -> (base: String, items: [String], end: String) {
        let base = url.prefix { $0 != "?" && $0 != "#" }
        let end = url.firstIndex(of: "#") ?? url.endIndex
        guard base.endIndex < end else { return (String(base), [], String(url[end...])) }
        let query = url[url.index(after: base.endIndex)..<end]
        return (String(base), query.split(separator: "&").map(String.init), String(url[end...]))
    }
}

/// A recorder that removes the query from upload resources. It passes every call on to `base`.
private struct QuerylessRecorder: AttemptRecorder {
    let base: any AttemptRecorder
    let query: KeptQuery

    func record(_ resource: UploadResource?, durably: Bool) async throws(UploadFailure) {
        try await base.record(resource.map(query.removed), durably: durably)
    }
    func isReading() { base.isReading() }
    func didStart(_ exchange: Exchange, reached: ByteCount) { base.didStart(exchange, reached: reached) }
    func didSend(_ bytes: ByteCount, reached: ByteCount) { base.didSend(bytes, reached: reached) }
    func didFinishSending(_ exchange: Exchange) { base.didFinishSending(exchange) }
    func didEnd(out bytes: ByteCount) { base.didEnd(out: bytes) }
}
