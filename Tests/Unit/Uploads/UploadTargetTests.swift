import FerryProtocols
import FerryStateSimulation
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

    @Test func `targets that differ only in the name share their memory, also once they are loaded`() throws {
        var target = Self.target("film.mov")
        target.share(with: Self.target("reel.mov"))
        #expect(!target.sharesMemory(with: Self.target("film.mov")))
        let disk = SimulatedDisk()
        var store = try JournalStore.opened(disk).store
        var uploads = (1...3).map { Upload.make($0) }
        for index in uploads.indices { uploads[index].target = Self.target("\(index).mov") }
        #expect(!uploads[0].target.sharesMemory(with: uploads[1].target))
        try store.append(uploads.map(QueueChange.set))
        let loaded = try JournalStore.opened(disk).recovered.uploads
        #expect(loaded == uploads)
        #expect(loaded.allSatisfy { $0.target.sharesMemory(with: loaded[0].target) })
    }

    @Test func `a batch keeps its bytes beside an equal name in another Unicode form`() {
        var (one, other) = (Upload.make(1), Upload.make(2))
        (one.batch, other.batch) = ("\u{65}\u{301}", "\u{e9}")
        one.shareRest(with: other)
        #expect(one.batch.map { Array($0.utf8) } == Array("\u{65}\u{301}".utf8))
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
