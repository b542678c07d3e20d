import FerryFiles
import FerryProtocols
import FerryTransfer

/// The query of a destination's address, which the configuration alone holds: it may be a signature or a key. The
/// queue's files name what an upload resumes with, and where it ended, without it.
struct KeptQuery: Sendable {
    /// The field that names the shortened members of a resource, separated by commas.
    private static let markField = "query"
    /// The name under which `markField` lists the address.
    private static let addressName = "url"

    /// The items as written. An item with `{name}` in it differs from file to file and is no secret.
    private let items: [String]

    /// - Parameter url: As the configuration has it, or as the user gave it.
    init(of url: String) {
        items = Self.split(url).items.filter { !$0.contains(UploadAddress.nameMark) }
    }

    /// A recorder that keeps the query out of what it hands on.
    func recorder(_ recorder: any AttemptRecorder) -> any AttemptRecorder {
        items.isEmpty ? recorder : QuerylessRecorder(base: recorder, query: self)
    }

    /// Returns the part of a resource that is written down.
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

    /// Returns the resource that an upload resumes with, from the part that was written down.
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

    /// The address up to its query, the query's items, and the rest.
    private static func split(_ url: String) -> (place: String, items: [String], end: String) {
        let place = url.prefix { $0 != "?" && $0 != "#" }
        let end = url.firstIndex(of: "#") ?? url.endIndex
        guard place.endIndex < end else { return (String(place), [], String(url[end...])) }
        let query = url[url.index(after: place.endIndex)..<end]
        return (String(place), query.split(separator: "&").map(String.init), String(url[end...]))
    }
}

/// Writes down what a `KeptQuery` leaves of it.
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
