import FerryProtocols

/// The query of a destination's URL, possibly a secret: stored URLs lack it, and get it again to resume.
struct KeptQuery: Sendable {
    /// A key in the `memory` of an upload resource, for the keys of the URLs without their query, separated by commas.
    private static let markField = "query"
    private static let addressName = "url"

    /// The items of the query with the separators before them, without those with `{name}`, which are no secrets.
    private let items: [String]

    /// - Parameter url: A URL from the configuration, or one that the user gave instead of a destination.
    init(of url: String) {
        items = Self.split(url).items.filter { !$0.contains(UploadAddress.nameMark) }
    }

    /// Returns the resource without the query in its URL and in the URLs of its `memory`, as it is stored on disk.
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
        guard !items.isEmpty else { return url }
        let (base, own, end) = Self.split(url)
        // A server that builds a URL from the received one may encode other characters, so decoded items are compared.
        let kept = Set(items.map(Self.decoded))
        let left = own.filter { !kept.contains(Self.decoded($0)) }
        return left.count == own.count ? url : Self.joined(base, left, end)
    }

    private func restored(_ url: String) -> String {
        let (base, own, end) = Self.split(url)
        return Self.joined(base, items + own, end)
    }

    private static func decoded(_ item: String) -> String {
        let item = String(item.dropFirst())
        return item.percentDecoded() ?? item
    }

    private static func joined(_ base: String, _ items: [String], _ end: String) -> String {
        base + (items.isEmpty ? "" : "?" + items.joined().dropFirst()) + end
    }

    /// Splits a URL into the text before its query, the query's items with the separators before them, and the
    /// fragment. Some servers also separate by `;` (HTML 4.01, appendix B.2.2).
    private static func split(_ url: String) -> (base: String, items: [String], end: String) {
        let base = UploadAddress.withoutQuery(url)
        let query = UploadAddress.parts(of: url).query.dropFirst()
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#")) ?? url.endIndex
        var items: [String] = []
        var separator = query.first { "&;".contains($0) } ?? "&"
        for item in query.split(omittingEmptySubsequences: false, whereSeparator: { "&;".contains($0) }) {
            if item.startIndex > query.startIndex { separator = query[query.index(before: item.startIndex)] }
            if !item.isEmpty { items.append("\(separator)\(item)") }
        }
        return (base, items, String(url[end...]))
    }
}
