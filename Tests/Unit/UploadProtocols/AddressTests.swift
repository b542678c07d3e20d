import Foundation
import Testing

@testable import FerryProtocols

struct UploadAddressTests {
    @Test(arguments: [
        ("http://h/d/", "a b.txt", "http://h/d/a%20b.txt"),
        ("http://h/d/?t=1", "a", "http://h/d/a?t=1"),
        ("http://h/d", "a", "http://h/d"),
        ("http://h/u?name={name}", "a&b=c/ü", "http://h/u?name=a%26b%3Dc/%C3%BC"),
        ("http://h/{name}/", "a", "http://h/a/"),
        ("http://h/d/", "a?b#c%d\\e", "http://h/d/a%3Fb%23c%25d%5Ce"),
        ("http://h/d/", "x\r\ny\u{0}", "http://h/d/x%0D%0Ay%00"),
        ("http://h/d/", "sub/a.txt", "http://h/d/sub/a.txt"),
        ("http://h/d/", "", "http://h/d/"),
        ("", "a", ""),
    ])
    func `a name goes where the address says`(url: String, name: String, expected: String) {
        #expect(UploadAddress.address(url, for: name) == expected)
    }

    @Test(arguments: [("http://h/d/", true), ("http://h/{name}", true), ("http://h/d", false)])
    func `an address distinguishes names or it does not`(url: String, expected: Bool) {
        #expect(UploadAddress.tellsNamesApart(url) == expected)
    }

    @Test(arguments: [
        ("HTTP://Host/x", "http://host:80"), ("https://host", "https://host:443"),
        ("http://host:8080/", "http://host:8080"), ("http://[::1]:9/", "http://[::1]:9"),
    ])
    func `an origin is scheme, host and port`(url: String, expected: String) {
        #expect(URL(string: url).flatMap(UploadAddress.origin) == expected)
    }

    @Test(arguments: [
        ("/up/sp%20ace%20[1080p].txt", "http://h/up/sp%20ace%20%5B1080p%5D.txt"),
        ("http://h/a [1].txt", "http://h/a%20%5B1%5D.txt"), ("a%5B1%5D%20b", "http://h/up/a%5B1%5D%20b"),
        ("100%.txt", "http://h/up/100%25.txt"), ("%zz%2", "http://h/up/%25zz%252"),
        ("/ü?k=[a]&b=ä#[x]", "http://h/%C3%BC?k=%5Ba%5D&b=%C3%A4#%5Bx%5D"),
        ("//h/x[1]", "http://h/x%5B1%5D"), ("a\"<>\\^`{|}", "http://h/up/a%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("/a//b:c[", "http://h/a//b:c%5B"), ("http://h/up/a-b_c.d", "http://h/up/a-b_c.d"),
        ("http://h//up/.x", "http://h//up/.x"),
    ])
    func `characters that a location may not hold are encoded, and nothing twice`(
        location: String, expected: String
    ) throws {
        #expect(try UploadAddress.resolve(location, against: "http://h/up/") == expected)
    }

    @Test func `the brackets of an IPv6 address stay`() throws {
        let base = "http://[::1]:9/up/"
        #expect(try UploadAddress.resolve("http://[::1]:9/a[1]", against: base) == "http://[::1]:9/a%5B1%5D")
        #expect(try UploadAddress.resolve("b [2]", against: base) == "http://[::1]:9/up/b%20%5B2%5D")
    }

    @Test func `a refused address is quoted without what could steer a terminal`() {
        let location = "http://evil.example/\u{1B}[2J" + String(repeating: "x", count: 1000)
        #expect {
            try UploadAddress.resolve(location, against: "http://h/")
        } throws: { error in
            guard let failure = error as? UploadFailure else { return false }
            return !failure.summary.contains("\u{1B}") && failure.summary.count < 400
        }
    }
}

struct ByteFormatTests {
    @Test(
        arguments: [
            (3 << 20, "the server has 3 MiB, the file has 4 MiB"),
            (4 << 20 - 1, "the server has 4194303 B, the file has 4194304 B"),
        ] as [(ByteCount, String)])
    func `sizes that look the same are shown in full`(stored: ByteCount, text: String) {
        #expect(UploadFailure.sizesDiffer(stored, 4 << 20) == text)
    }

    @Test(
        arguments: [
            (0, "0B"), (999, "999B"), (1000, "1.0K"), (1023, "1.0K"), (1024, "1.0K"), (10_200, "10K"),
            (1_048_576, "1.0M"), (ByteCount.max, "8.0E"), (-5, "0B"), (ByteCount.min, "0B"),
        ] as [(ByteCount, String)])
    func `an amount has five columns at most`(count: ByteCount, expected: String) {
        #expect(ByteFormat.compact(count) == expected)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, .leastNonzeroMagnitude])
    func `no number breaks the columns`(count: Double) {
        #expect(ByteFormat.compact(count).count <= 5)
        #expect(ByteFormat.rate(count).hasSuffix("B/s"))
    }

    @Test func `every amount has five columns at most`() {
        var count: ByteCount = 1
        while count < .max / 3 {
            for near in [count - 1, count, count + 1] { #expect(ByteFormat.compact(near).count <= 5) }
            count = count * 3 / 2 + 1
        }
    }

    @Test(
        arguments: [
            (0, "0 B"), (12_288, "12 KiB"), (4_402_341_478, "4.1 GiB"), (104_857_600, "100 MiB"),
        ] as [(ByteCount, String)])
    func `an amount in a sentence has a space and a unit`(count: ByteCount, expected: String) {
        #expect(ByteFormat.sentence(count) == expected)
    }

    @Test(
        arguments: [
            ("2M", 2_097_152), ("1.5 GB", 1_610_612_736), ("800k", 819_200), ("65536", 65_536),
            ("2MiB/s", 2_097_152),
            ("0", 0), ("8E", nil), ("-1", nil), ("", nil), ("B", nil), ("1e5", nil), ("nan", nil),
            ("1..2", nil),
            ("٣", nil), ("0x10", nil), (String(repeating: "9", count: 400), nil),
        ] as [(String, ByteCount?)])
    func `an amount is read or refused`(text: String, expected: ByteCount?) {
        #expect(ByteFormat.parse(text) == expected)
    }
}
