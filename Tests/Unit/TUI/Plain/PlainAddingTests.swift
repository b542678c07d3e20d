import FerryProtocols
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

@Suite struct PlainAddingTests {
    private static func selection(_ names: String..., problems: Int = 0) -> FileSelection {
        FileSelection(
            files: names.map { name in
                FileSelection.File(
                    path: LocalPath("/out/" + name),
                    identity: FileIdentity(device: 1, inode: 1, size: 10, modified: 0, changed: 0),
                    relativeName: name)
            },
            problems: (0..<problems).map { .init(path: LocalPath("/out/gone-\($0)"), reason: "no such file") }
        )
    }

    /// Returns the text and the number of the request for a preview; nil if the effects contain none.
    private static func question(_ effects: [PlainEffect]) -> (text: String, number: Int)? {
        guard case .preview(let request, let number)? = effects.sent.first else { return nil }
        return (request.text, number)
    }

    @Test func `files are looked for, and then queued`() throws {
        var plain = PlainModel.make(destinations: ["box", "photos"], defaultDestination: "box")
        let asked = try #require(Self.question(plain.type("add *.mov to photos")))
        #expect(asked.text == " *.mov ")
        let found = plain.update(.news(.previewed(Self.selection("a.mov"), number: asked.number)))
        guard case .add(let selection, let destination)? = found.sent.first else {
            Issue.record("nothing was added")
            return
        }
        #expect(selection.files.count == 1)
        #expect(destination == "photos")
    }

    @Test func `one line is added after the other`() throws {
        var plain = PlainModel.make()
        let first = try #require(Self.question(plain.type("add a")))
        #expect(plain.type("add b").sent.isEmpty)
        let next = plain.update(.news(.previewed(Self.selection("a"), number: first.number)))
        #expect(next.sent.count == 2, "a is queued, b is looked for")
    }

    @Test func `files that are left out are printed up to a limit`() throws {
        var plain = PlainModel.make()
        let asked = try #require(Self.question(plain.type("add x")))
        let effects = plain.update(
            .news(.previewed(Self.selection(problems: 100), number: asked.number)))
        #expect(effects.sent.isEmpty)
        #expect(effects.lines.first == "left out: /out/gone-0: no such file")
        #expect(effects.lines.suffix(2) == ["95 more left out", "nothing to add"])
    }

    @Test func `an addition without a clear destination is refused, and the destinations are named`() {
        var plain = PlainModel.make(destinations: ["box", "photos"])
        let effects = plain.type("add x")
        #expect(effects.sent.isEmpty)
        #expect(effects.lines == ["add it where? end the line with to box, or to photos"])
    }
}
