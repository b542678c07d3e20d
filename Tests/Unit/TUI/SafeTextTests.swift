import FerryTestSupport
import Testing

@testable import FerryTUI

@Suite struct SafeTextTests {
    @Test(arguments: [
        ("plain.txt", "plain.txt"),
        ("evil\u{1B}[31mred", "evil\\e[31mred"),
        ("\u{1B}]52;c;aGk=\u{7}", "\\e]52;c;aGk=\\u{7}"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("a\r\nb", "a\\r\\nb"),
        ("nul\u{0}", "nul\\u{0}"),
        ("\u{9B}31m", "\\u{9B}31m"),
        ("\u{7F}", "\\u{7F}"),
        ("photo\u{202E}gpj.exe", "photo\\u{202E}gpj.exe"),
        ("a\u{200B}b", "a\\u{200B}b"),
        ("a\u{2028}b", "a\\u{2028}b"),
        ("soft\u{AD}hyphen", "soft\\u{AD}hyphen"),
        ("tag\u{E0041}", "tag\\u{E0041}"),
        ("\u{FEFF}bom", "\\u{FEFF}bom"),
        ("private\u{E000}", "private\\u{E000}"),
        ("unassigned\u{0378}", "unassigned\\u{378}"),
        ("back\\slash", "back\\\\slash"),
        ("fake \\e", "fake \\\\e"),
        ("報告書.pdf", "報告書.pdf"),
        ("e\u{301}", "e\u{301}"),
        ("\u{301}x", "\\u{301}x"),
        ("👩‍👩‍👧‍👦", "👩"),
        ("👍🏽", "👍"),
        ("❤️", "❤"),
        ("1️⃣", "1"),
        ("🇩🇪", "DE"),
        ("", ""),
    ])
    func `a name is shown so that it cannot do anything`(raw: String, shown: String) {
        #expect(SafeText(raw).text == shown)
    }

    @Test func `no text leaves anything in it that a terminal would obey`() {
        var dice = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            var raw = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...40, using: &dice) {
                let limit: UInt32 = [0x100, 0x3000, 0x1_0000, 0x11_0000].randomElement(using: &dice) ?? 0x100
                if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &dice)) {
                    raw.append(scalar)
                }
            }
            let text = SafeText(String(raw))
            for scalar in text.text.unicodeScalars { #expect(CellWidth.of(scalar) != nil, "\(scalar.value)") }
            #expect(text.width == CellWidth.of(text.text))
        }
    }

    @Test func `a heap of marks keeps two`() {
        let zalgo = "a" + String(repeating: "\u{300}", count: 50)
        #expect(SafeText(zalgo).text.unicodeScalars.count == 3)
    }

    @Test func `a scalar becomes an escape if the terminal disagrees on its width`() {
        let text = SafeText("a☰", agrees: { scalar, _ in scalar != "☰" })
        #expect(text.text == "a\\u{2630}")
        #expect(text.units.last?.isEscape == true)
    }

    @Test(arguments: [
        ("a", 1), ("報", 2), ("é", 1), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("👍", 2), ("━", 1), ("…", 1),
    ])
    func `widths are those of UAX 11`(text: String, width: Int) {
        #expect(CellWidth.of(text) == width)
    }
}

@Suite struct FittingTests {
    @Test func `the ellipsis keeps the extension`() {
        let name = SafeText("raw-footage-day3-reel-7-take-11-version-2.braw")
        #expect(name.fitted(to: 24, ellipsis: "…").text == "raw-footage-day3…-2.braw")
    }

    @Test func `whatever is cut fits, and wide characters stay whole`() {
        let names = [
            "報告書報告書報告書.pdf", "evil\u{1B}\u{1B}\u{202E}name.txt", "plain-name.jpeg", "é\u{301}é👍👍👍.x",
        ]
        for name in names.map({ SafeText($0) }) {
            for columns in 0...30 {
                for cut in [
                    name.fitted(to: columns, ellipsis: "…"), name.truncated(to: columns, ellipsis: "…"),
                    name.truncatedAtStart(to: columns, ellipsis: "…"),
                ] {
                    #expect(cut.width <= columns)
                    #expect(cut.units.allSatisfy { unit in unit.text == "…" || name.units.contains(unit) })
                }
            }
        }
    }

    @Test func `text that fits is left alone`() {
        #expect(SafeText("short").fitted(to: 5, ellipsis: "…").text == "short")
    }
}

@Suite struct StringsTests {
    @Test(arguments: [
        (0.0, "00:00"), (42.4, "00:42"), (751, "12:31"), (4867, "1:21:07"), (273_600, "3d 04h"),
        (-1, "--:--"),
        (.infinity, "--:--"), (.nan, "--:--"), (1e300, "--:--"),
    ])
    func `remaining time takes eight columns at most`(seconds: Double, text: String) {
        #expect(Strings.remaining(seconds) == text)
        #expect(text.count <= 8)
    }

    @Test(arguments: [
        (0.0, "now"), (-5, "now"), (11.2, "in 12 s"), (240, "in 4 min"), (7200, "in 2 h"), (1e12, "later"),
        (.nan, "now"),
    ])
    func `a wait is written in the largest useful unit`(seconds: Double, text: String) {
        #expect(Strings.wait(seconds) == text)
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1284, "1,284"), (1_000_000, "1,000,000"), (-1234, "-1,234")])
    func `counts have commas`(number: Int, text: String) {
        #expect(Strings.count(number) == text)
    }

    @Test func `only the whole is a hundred percent`() {
        #expect(Strings.percent(999_999, of: 1_000_000) == 99)
        #expect(Strings.percent(1_000_000, of: 1_000_000) == 100)
        #expect(Strings.percent(.max, of: 1) == 100)
        #expect(Strings.percent(-5, of: 10) == 0)
        #expect(Strings.percent(0, of: 0) == 0)
    }
}
