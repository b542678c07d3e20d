import FerryFiles

/// Functions that read the query parameters of a URL, and add others without changing these, which may be signed.
enum AddressQuery {
    /// Returns the decoded value of the first query parameter with this name, empty without `=`; nil if there is none.
    static func value(_ name: String, in url: String) -> String? {
        for item in items(of: url) {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair[0].percentDecoded() == name else { continue }
            let value = pair.count == 2 ? String(pair[1]) : ""
            return value.percentDecoded() ?? value
        }
        return nil
    }

    /// Returns the URL with the parameters `added` at the end of its query. The fragment of the URL is removed.
    static func adding(_ added: [(name: String, value: String)], to url: String) -> String {
        let written = added.map { "\($0.name.percentEncoded())=\($0.value.percentEncoded())" }
        let query = (items(of: url).map(String.init) + written).joined(separator: "&")
        let base = UploadAddress.withoutQuery(url)
        return query.isEmpty ? base : "\(base)?\(query)"
    }

    private static func items(of url: String) -> [Substring] {
        guard let mark = url.firstIndex(where: { $0 == "?" || $0 == "#" }), url[mark] == "?" else {
            return []
        }
        return url[url.index(after: mark)...].prefix { $0 != "#" }.split(separator: "&")
    }
}
