import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct DetailsTests {
    private static func parts() -> Upload {
        var upload = Upload.make(7, name: "reel.mov", size: 40 << 20, state: .running, method: "auto")
        upload.resource = UploadResource(
            url: "https://box.example/1", confirmed: 12 << 20, parts: .init(stored: 12, planned: 40),
            expires: Date(timeIntervalSince1970: Clock.start + 7200),
            memory: ["protocol": "tus", "because": "the server says Tus-Version 1.0.0"])
        upload.tries.attempts = 2
        upload.tries.resumes = 1
        return upload
    }

    private static func done(_ receipt: Receipt) -> Upload.State {
        .done(receipt, at: Date(timeIntervalSince1970: 0))
    }

    @Test func `the details offer a retry only if it does something`() {
        for (state, isOffered) in [(Upload.State.running, false), (.done, false), (.failed, true)] {
            var model = Model.make([.make(1, state: state)])
            model.type("i")
            #expect(model.frame().description.contains("[r] retry") == isOffered, "\(state)")
        }
    }

    @Test func `the details of an upload with parts`() {
        var model = Model.make([Self.parts()])
        model.type("i")
        let text = model.frame().description
        for expected in [
            "Details of reel.mov", "from      /out/reel.mov", "to        box: reel.mov",
            "protocol  tus, because the server says Tus-Version 1.0.0", "state     running",
            "on server 12 MiB of 40 MiB (30%)",
            "parts     12 of 40 parts on server",
            "expires   the server deletes the unfinished upload in 2 h",
            "attempts  2 attempts, resumed 1 time",
            "[Enter] close",
        ] {
            #expect(text.contains(expected), "\(expected) in\n\(text)")
        }
    }

    @Test func `few parts have a sign each`() {
        var upload = Self.parts()
        upload.resource?.parts = .init(stored: 6, planned: 8)
        var model = Model.make([upload])
        model.type("i")
        #expect(model.frame().description.contains("parts     ✓✓✓✓✓✓··  6 of 8 parts on server"))
    }

    @Test func `how fast it goes, how fast it went and how long it will take are there`() {
        var model = Model.make([.make(1, size: 10_000_000, state: .running)])
        for step in 0...40 {
            _ = model.pass(to: Double(step) * 0.25)
            let sample = ProgressSample(
                id: 1, sent: ByteCount(step) * 51_200, confirmed: 0, phase: .sending)
            _ = model.update(.progress([sample]))
        }
        model.type("i")
        let line = model.frame().description.split(separator: "\n").first { $0.contains("speed") }
        #expect(
            line?.contains("speed     200 KiB/s now, 200 KiB/s in this attempt, 00:39 left  ") == true,
            "\(line ?? "")")
        #expect(line?.contains("⣿⣿") == true, "\(line ?? "")")
    }

    @Test func `bytes in flight are shown apart from the bytes on the server`() {
        var model = Model.make([.make(1, size: 10_485_760, state: .running, confirmed: 1_048_576)])
        for step in 0...1 {
            _ = model.pass(to: Double(step))
            let sample = ProgressSample(id: 1, sent: 5_242_880, confirmed: 1_048_576, phase: .sending)
            _ = model.update(.progress([sample]))
        }
        model.type("i")
        let text = model.frame().description
        #expect(text.contains("sent      5 MiB of 10 MiB (50%)"))
        #expect(text.contains("on server 1 MiB of 10 MiB (10%)"))
    }

    @Test func `on a large screen the details are always there`() {
        var model = Model.make([.make(1, name: "a.mov", state: .failed)], rows: 40, columns: 120)
        let text = model.frame().description
        #expect(text.contains(" Details of a.mov (1) ─"))
        #expect(text.contains("error     403 no write access"))
        _ = model.update(.resized(Size(rows: 24, columns: 80)))
        #expect(!model.frame().description.contains("Details"))
    }

    @Test func `the details show verification, a skip and the URL`() {
        let receipt = Receipt(
            location: "https://box.example/reel.mov", verified: .sha256, wasThere: true, chosen: "s3")
        var model = Model.make([.make(1, state: Self.done(receipt), method: "auto")])
        model.type("i")
        let text = model.frame().description
        for expected in [
            "protocol  s3, chosen by auto", "sent      nothing: it was there already",
            "verified  by the server, with SHA-256", "URL       https://box.example/reel.mov",
        ] {
            #expect(text.contains(expected), "\(expected) in\n\(text)")
        }
    }

    @Test func `a failure is there with what to do`() {
        var model = Model.make([.make(1, state: .failed)])
        _ = model.update(.key(.enter))
        let text = model.frame().description
        #expect(text.contains("error     403 no write access"))
        #expect(text.contains("next      fix the rights, then r"))
    }

    @Test func `auto has not chosen before it starts`() {
        var model = Model.make([.make(1, method: "auto")])
        model.type("i")
        #expect(model.frame().description.contains("protocol  auto; detected when it starts"))
    }

    @Test func `the next one is a key away, and the keys that opened it close it`() {
        var model = Model.make([.make(1), .make(2)])
        model.type("gi")
        #expect(model.frame().description.contains("Details of file-1.bin"))
        model.type("]")
        #expect(model.frame().description.contains("Details of file-2.bin"))
        model.type("[")
        #expect(model.list.cursor?.id == 1)
        model.type("i")
        #expect(model.context == .list)
    }

    @Test func `an upload that goes while its details are shown gives way to the next`() {
        var model = Model.make([.make(1), .make(2)])
        model.type("gi")
        _ = model.change(removed: [1])
        #expect(model.frame().description.contains("Details of file-2.bin"))
        _ = model.change(removed: [2])
        #expect(model.frame().description.contains("nothing is here any more"))
    }

    @Test func `with nothing under the cursor there is nothing to open`() {
        var model = Model.make()
        model.type("i")
        #expect(model.context == .list)
    }

    @Test func `names that would steer the terminal are shown harmless`() {
        var model = Model.make([.make(1, name: "evil\u{1B}[31mred")])
        model.type("i")
        #expect(!model.frame().description.contains("\u{1B}"))
    }

    @Test(arguments: [(6, 20), (3, 10), (24, 36)])
    func `a small screen shows what there is room for`(rows: Int, columns: Int) {
        var model = Model.make([Self.parts()], rows: rows, columns: columns)
        model.type("i")
        #expect(model.frame().description.split(separator: "\n").allSatisfy { $0.count <= columns })
    }
}

@Suite struct UncertainUploadTests {
    private static func make(
        uncertain: Int = 1,
        state: Upload.State = .held(
            UploadFailure(
                .outcomeUnknown,
                "everything was sent and the server's answer did not come (connection reset); the server may or may not have the file",
                hint: "look at the server"))
    ) -> Upload {
        var upload = Upload.make(1, state: state, method: "form")
        upload.tries.attempts = uncertain
        upload.tries.uncertain = uncertain
        return upload
    }

    @Test(arguments: [
        (24, 120, "all of it was sent and no answer came: r sends it again"),
        (24, 80, "sent whole, no answer: r sends it again (maybe twice), x removes it"),
        (18, 72, "sent whole, no answer: r sends it again (maybe twice), x removes it"),
        (10, 40, "answer?"),
    ])
    func `I10 the list says what happened and what the keys do`(rows: Int, columns: Int, words: String) {
        let text = Model.make([Self.make()], rows: rows, columns: columns).frame().description
        #expect(text.contains(words), "\(text)")
        #expect(text.contains("r retry"), "\(text)")
    }

    @Test func `I10 a failed one says the same in few cells`() {
        let failed = Self.make(state: .failed(UploadFailure(.outcomeUnknown, "no answer")))
        #expect(Model.make([failed], rows: 10, columns: 40).frame().description.contains("answer?"))
    }

    @Test(arguments: [(24, 80), (10, 40)])
    func `I10 the details can be read to the end, however small the screen`(rows: Int, columns: Int) {
        var model = Model.make([Self.make()], rows: rows, columns: columns)
        model.type("i")
        let text = model.frame().description
        let words = text.split(whereSeparator: { " \n│─┌┐└┘".contains($0) }).joined(separator: " ")
        for expected in [
            "all of it was sent and no answer came: the server may have it or not",
            "check the server; r sends it again (maybe twice), x removes it",
        ] {
            #expect(words.contains(expected), "\(text)")
        }
        if columns == 80 { #expect(words.contains("(connection reset)"), "\(text)") }
    }

    @Test func `I10 the keys that the details name work in them, and not for what is marked`() {
        var model = Model.make([Self.make(), .make(2, state: .failed)])
        model.type("j gi")
        let retried = model.type("r").commands
        #expect(retried == [.retry(.ids([1]))])
        #expect(model.list.marks == [2])
        model.type("gi")
        let removed = model.type("x").commands
        #expect(removed == [.remove(.ids([1]))])
    }

    @Test func `I10 a possible duplicate is marked in every state, also when it is done`() {
        let done = Upload.State.done(Receipt(bytes: 1), at: Date(timeIntervalSince1970: 0))
        for (state, words) in [
            (.queued, "queued×2"), (.running, "run×2"), (done, "done×2"), (.paused(.user), "paused×2"),
        ] as [(Upload.State, String)] {
            var model = Model.make([Self.make(state: state)])
            #expect(model.frame().description.contains(words))
            model.type("i")
            #expect(model.frame().description.contains("twice     possible duplicate"))
        }
        #expect(!Model.make([Self.make()]).frame().description.contains("×2"))
        let ascii = Model.make([Self.make(state: done)], isUnicode: false).frame().description
        #expect(ascii.contains("donex2"))
        #expect(ascii.contains("maybe twice"))
    }

    @Test func `I9 the details show a done upload without a server's digest as not verified`() {
        let done = Upload.State.done(Receipt(bytes: 1), at: Date(timeIntervalSince1970: 0))
        var model = Model.make([.make(1, state: done)])
        #expect(model.frame().text(3).hasSuffix("100%"))
        model.type("i")
        let screen = model.frame().description
        #expect(screen.contains("verified  no: the server reported no checksum"))
    }

    @Test func `a row says nothing of checksums where the protocol has none, and the details say that`() {
        let done = Upload.State.done(Receipt(bytes: 1), at: Date(timeIntervalSince1970: 0))
        var model = Model.make([.make(1, state: done, method: "form")])
        #expect(model.frame().text(3).hasSuffix("100%"))
        model.type("i")
        let screen = model.frame().description
        #expect(screen.contains("verified  no: form has no checksums"))
    }

    @Test func `the bytes on the server are unknown while the first bytes are in flight`() {
        var model = Model.make([.make(1, state: .running)])
        #expect(Self.held(model) == "0 B of 1 KiB")
        _ = model.update(.progress([ProgressSample(id: 1, sent: 500, confirmed: 0, phase: .sending)]))
        #expect(Self.held(model) == "unknown until the server reports it")
    }

    private static func held(_ model: Model) -> String? {
        model.table[1].flatMap { upload in
            DetailsView(model: model).facts(upload).first { $0.label == "on server" }?.text
        }
    }
}

@Suite struct RowMessageTests {
    private static func sending(_ upload: Upload, columns: Int) -> String {
        var model = Model.make([upload], rows: 40, columns: columns)
        for step in 0...8 {
            _ = model.pass(to: Double(step) * 0.25)
            _ = model.update(
                .progress([
                    ProgressSample(
                        id: upload.id, sent: 100 + ByteCount(step), confirmed: 100, phase: .sending)
                ]))
        }
        return model.frame().description
    }

    private static func parts(stored: Int, planned: Int) -> Upload {
        var upload = Upload.make(1, state: .running, confirmed: 100)
        upload.resource?.parts = .init(stored: stored, planned: planned)
        return upload
    }

    @Test func `a wide row says how many parts there are`() {
        #expect(Self.sending(Self.parts(stored: 12, planned: 40), columns: 120).contains("12 of 40 parts"))
    }

    @Test func `many parts are said in fewer words, and none where there is no room`() {
        let many = Self.parts(stored: 1200, planned: 9999)
        #expect(Self.sending(many, columns: 120).contains("1200/9999 parts"))
        #expect(!Self.sending(many, columns: 80).contains("parts"))
    }

    @Test(arguments: [
        (Receipt(verified: .sha256), "100%         verified"), (Receipt(wasThere: true), "was there already"),
        (Receipt(verified: .md5, wasThere: true), "was there already"),
    ])
    func `a done row says what the server confirmed`(receipt: Receipt, words: String) {
        let upload = Upload.make(1, state: .done(receipt, at: Date(timeIntervalSince1970: 0)))
        for columns in [80, 120] {
            #expect(Model.make([upload], columns: columns).frame().description.contains(words))
        }
    }
}
