import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct CopyTests {
    private static func copied(_ effects: [Effect]) -> String? {
        for case .copy(let text) in effects { return text }
        return nil
    }

    @Test func `y and p copy the path of the upload under the cursor`() {
        var model = Model.make([.make(1, name: "a b.txt")])
        model.type("y")
        #expect(model.frame().description.contains("Copy: a b.txt"))
        #expect(Self.copied(model.type("p")) == "/out/a b.txt")
        #expect(model.context == .list)
        #expect(model.toast.current?.text == "copied the path to the terminal's clipboard")
    }

    @Test func `the URL copied for a done upload is its location, and otherwise its destination`() {
        let done = Upload.State.done(Receipt(location: "https://box.example/x/1"), at: Date())
        var model = Model.make([.make(1, state: done), .make(2)])
        _ = model.update(.key(.control("a")))
        model.type("y")
        #expect(Self.copied(model.type("u")) == "https://box.example/x/1\nhttps://box.example/")
    }

    @Test func `the address that an unfinished upload is continued by is not copied`() {
        var model = Model.make([.make(1, state: .paused(.user), confirmed: 10)])
        model.type("y")
        #expect(Self.copied(model.type("u")) == "https://box.example/")
    }

    @Test func `the error is copied with what to do`() {
        var model = Model.make([.make(1, state: .failed)])
        model.type("y")
        #expect(Self.copied(model.type("e")) == "no write access; fix the rights, then r")
    }

    @Test func `an upload without an error copies nothing, and a message says so`() {
        var model = Model.make([.make(1)])
        model.type("y")
        #expect(model.type("e").isEmpty)
        #expect(model.toast.current?.text == "no error to copy")
    }

    @Test(arguments: [(48 << 10, true), (48 << 10 + 1, false)])
    func `a clipboard takes 48 KiB`(size: Int, isCopied: Bool) {
        let folder = Upload.make(1, name: "").path.text
        let name = String(repeating: "n", count: size - folder.utf8.count)
        var model = Model.make([.make(1, name: name)])
        model.type("y")
        #expect(model.type("p").isEmpty != isCopied)
        #expect(model.toast.current?.text.hasPrefix("too much for a clipboard") != isCopied)
    }

    @Test func `a line break in a name is not copied as one`() {
        var model = Model.make([.make(1, name: "a\nrm -rf x\u{1b}[31m é")])
        model.type("y")
        #expect(Self.copied(model.type("p")) == "/out/a\\nrm -rf x\\e[31m é")
    }

    @Test func `Esc copies nothing`() {
        var model = Model.make([.make(1)])
        model.type("y")
        #expect(model.update(.key(.escape)).isEmpty)
        #expect(model.toast.current == nil)
    }

    @Test func `in the details the upload that is looked at is copied, whatever is marked`() {
        var model = Model.make([.make(1), .make(2)])
        model.type("g jiy")
        #expect(Self.copied(model.type("p")) == "/out/file-2.bin")
    }
}
