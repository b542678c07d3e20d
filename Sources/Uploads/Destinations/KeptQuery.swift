import FerryFiles
import FerryProtocols
import FerryTransfer

/// The query of a destination's URL, which may be a signature or a key. Only the configuration contains it: the resume
/// data and locations in the queue's files leave it out.
struct KeptQuery: Sendable {
    /// The field that names the shortened members of a resource, separated by commas.
    private static let markField = "query"
    /// The name by which `markField` lists the URL.
    private static let addressName = "url"

    /// The items as written. An item that contains `{name}` differs from file to file and is no secret.
    private let items: [String]

    /// - Parameter url: The URL from the configuration or from the user.
    init(of url: String) {
        items = Self.split(url).items.filter { !$0.contains(UploadAddress.nameMark) }
    }

    /// Returns a recorder that removes the query from what it passes on.
    func recorder(_ recorder: any AttemptRecorder) -> any AttemptRecorder {
        items.isEmpty ? recorder : QuerylessRecorder(base: recorder, query: self)
    }

    /// Returns the part of a resource that the journal stores.
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

    /// Returns the resource that an upload resumes with, from the part that the journal stores.
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
        let (place, own, end) = Self.split(url)
        let left = own.filter { !items.contains($0) }
        return left.count == own.count ? url : Self.joined(place, left, end)
    }

    private func restored(_ url: String) -> String {
        let (place, own, end) = Self.split(url)
        return Self.joined(place, items + own, end)
    }

    private static func joined(_ place: String, _ items: [String], _ end: String) -> String {
        place + (items.isEmpty ? "" : "?" + items.joined(separator: "&")) + end
    }

    /// The URL up to its query, the query's items, and the rest.
    private static func split(_ url: String) -> (place: String, items: [String], end: String) {
        let place = url.prefix { $0 != "?" && $0 != "#" }
        let end = url.firstIndex(of: "#") ?? url.endIndex
        guard place.endIndex < end else { return (String(place), [], String(url[end...])) }
        let query = url[url.index(after: place.endIndex)..<end]
        return (String(place), query.split(separator: "&").map(String.init), String(url[end...]))
    }
}

/// A recorder that passes on resources without the query.
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
