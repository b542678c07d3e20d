import FerryProtocols
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

struct UploadTargetTests {
    private static func target(_ name: String, url: String = "http://h/") -> Upload.Target {
        Upload.Target(
            destination: "box", url: url, protocolName: "put", name: name,
            fields: [Upload.Target.Field(name: "a", value: "1")], existing: .skip)
    }

    @Test func `a change of a copy leaves the original as it was`() {
        let original = Self.target("film.mov")
        var copy = original
        copy.name = "reel.mov"
        copy.url = "http://other/"
        copy.fields = []
        copy.existing = nil
        #expect(original == Self.target("film.mov"))
        #expect(copy != original)
        #expect((copy.name, copy.url, copy.destination) == ("reel.mov", "http://other/", "box"))
    }

    @Test func `targets with equal values are equal, whether they share memory or not`() {
        var shared = Self.target("film.mov")
        shared.share(with: Self.target("reel.mov"))
        #expect(shared == Self.target("film.mov"))
        #expect(Set([shared, Self.target("film.mov")]).count == 1)
    }

    @Test func `a target does not share the memory of one with another URL`() {
        var target = Self.target("film.mov")
        target.share(with: Self.target("film.mov", url: "http://other/"))
        #expect(target.url == "http://h/")
    }

    @Test func `a target keeps its bytes beside an equal text in another Unicode form`() {
        var target = Self.target("film.mov", url: "http://h/\u{65}\u{301}")
        target.share(with: Self.target("film.mov", url: "http://h/\u{e9}"))
        #expect(Array(target.url.utf8) == Array("http://h/\u{65}\u{301}".utf8))
    }

    @Test func `a target is encoded with the members of earlier versions`() throws {
        let json = try JSONEncoder().encode(Self.target("film.mov"))
        let members = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        #expect(Set(members.keys) == ["destination", "url", "method", "name", "fields", "existing"])
        #expect(try JSONDecoder().decode(Upload.Target.self, from: json) == Self.target("film.mov"))
    }
}
