import FerryFiles
import Foundation
import Testing

/// Compares Ferry's text functions with Foundation's.
struct TextTests {
    private static let texts = [
        "", "a", "~-._", "a b", "50%", "%41", "%zz", "%4", "%", "käse/ü", "日本.mov", "a\u{0}b", "#?&=+;",
        "%E2%82%AC",
        "%E2%82", "%C0%80", "\u{1F600}", "e\u{301}", "\r\n",
    ]

    @Test(arguments: texts)
    func `percent-encoding is that of Foundation`(text: String) {
        let unreserved = CharacterSet(
            charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
        #expect(text.percentEncoded() == text.addingPercentEncoding(withAllowedCharacters: unreserved))
        #expect(text.percentEncoded().percentDecoded() == text)
        #expect(text.percentDecoded() == text.removingPercentEncoding)
    }

    @Test(arguments: texts + ["\u{1100}\u{1161}", "a\u{323}\u{307}", "\u{212B}"])
    func `a text is composed as by Foundation`(text: String) {
        #expect(Array(text.composed.utf8) == Array(text.precomposedStringWithCanonicalMapping.utf8))
    }

    @Test func `characters that are plain stay as they are`() {
        #expect("a/b c".percentEncoded(keeping: PlainCharacters(alphanumericsAnd: "/")) == "a/b%20c")
        #expect("-".percentEncoded(keeping: PlainCharacters(alphanumericsAnd: "")) == "%2D")
    }

    @Test(arguments: texts + [" a ", "\t a\u{A0}", "\n a \r\n", " \u{2003}", "\u{3000}x", " e\u{301} "])
    func `a text is trimmed as by Foundation`(text: String) {
        #expect(text.trimmed() == text.trimmingCharacters(in: .whitespaces))
        #expect(text.trimmedOfLines() == text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
