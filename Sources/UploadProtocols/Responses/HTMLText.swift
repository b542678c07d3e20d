/// Extracts text from a server's HTML page, such as the reason for a refusal.
package enum HTMLText {
    private static let searched = 16 << 10

    /// The most frequent entities. The ampersand comes last, so that `&amp;lt;` becomes `&lt;`.
    private static let entities = [
        ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&"),
    ]

    /// Returns the page's first paragraph, or else its title, where nginx and Apache write only the `status`.
    static func reason(in body: [UInt8], status: Int) -> String? {
        let page = body.prefix(searched)
        if let paragraph = text(ofFirst: "p", in: page) { return paragraph }
        guard let title = text(ofFirst: "title", in: page), !title.contains("\(status)") else { return nil }
        return title
    }

    /// Returns the text of the first element called `name`, without tags; nil if it is missing or empty.
    private static func text(ofFirst name: String, in page: ArraySlice<UInt8>) -> String? {
        let lowercase = page.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }
        guard let start = startOfContent(name, in: lowercase),
            let end = lowercase[start...].firstRange(of: "</\(name)".utf8)?.lowerBound
        else { return nil }
        let text = ServerText.cleaned(plain(Array(page.dropFirst(start).prefix(end - start))))
        return text.isEmpty ? nil : text
    }

    /// Returns the text of a part of a page. A tag that can begin a line becomes a space.
    package static func plain(_ content: [UInt8]) -> String {
        var text: [UInt8] = []
        var rest = content[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "<"), rest.first.map(beginsTag) == true else {
                text.append(byte)
                continue
            }
            let tag = rest.prefix { $0 != UInt8(ascii: ">") }
            rest = rest[tag.endIndex...].dropFirst()
            let name = tag.drop { $0 == UInt8(ascii: "/") }.prefix { $0 | 0x20 >= UInt8(ascii: "a") }
            if !inlineTags.contains(String(decoding: name, as: UTF8.self).lowercased()) {
                text.append(UInt8(ascii: " "))
            }
        }
        return entities.reduce(String(decoding: text, as: UTF8.self)) {
            $0.utf8.contains(UInt8(ascii: "&")) ? $0.replacing($1.0, with: $1.1) : $0
        }
    }

    private static func beginsTag(_ byte: UInt8) -> Bool {
        "/!?".utf8.contains(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
    }

    private static let inlineTags: Set<String> = [
        "a", "abbr", "b", "big", "cite", "code", "em", "font", "i", "kbd", "mark", "s", "samp", "small",
        "span", "strong", "sub", "sup", "tt", "u", "var", "wbr",
    ]

    /// Returns the position after the first start tag of an element called `name`; nil if there is none.
    private static func startOfContent(_ name: String, in page: [UInt8]) -> Int? {
        var rest = page[...]
        while let tag = rest.firstRange(of: "<\(name)".utf8) {
            rest = rest[tag.upperBound...]
            // `<pre>` begins with the letters of `<p>`.
            guard let next = rest.first, next == UInt8(ascii: ">") || next <= UInt8(ascii: " ") else {
                continue
            }
            return rest.firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 }
        }
        return nil
    }
}
