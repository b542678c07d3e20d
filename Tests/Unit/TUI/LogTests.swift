import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

struct LogTests {
    private static func texts(_ model: Model) -> [String] { model.log.entries.map(\.text) }

    private static func numbered(_ count: Int) -> Model {
        var model = Model.make([.make(1, name: "a.mov"), .make(2, name: "b.mov")])
        for number in 0..<count {
            model.log.add(
                number % 3 == 0 ? .warning : .information, "entry \(number)", date: model.clock.date,
                upload: number % 2 + 1)
        }
        return model
    }

    private static func selected(_ model: Model) -> String? {
        guard case .log(let dialog) = model.dialog else { return nil }
        let entries = dialog.entries(of: model.log)
        return dialog.index(in: entries).map { entries[$0].text }
    }

    @Test func `an upload's changes are logged with the next step`() {
        var model = Model.make([.make(1, name: "a.mov", state: .running), .make(2, name: "b.mov")])
        _ = model.change(.make(1, name: "a.mov", state: .waiting(12)))
        _ = model.change(.make(1, name: "a.mov", state: .failed))
        _ = model.change(.make(2, name: "b.mov", state: .changed))
        #expect(
            Self.texts(model) == [
                "a.mov retrying in 12 s: 503 the server is busy",
                "a.mov failed: 403 no write access; fix the rights, then r",
                "b.mov is held: edited while queued; r sends the new version",
            ])
        #expect(model.log.entries.map(\.level) == [.warning, .error, .warning])
    }

    @Test func `an upload that is done shows its size, time and rate`() {
        var model = Model.make([.make(1, name: "a.mov", size: 10 << 20, state: .running)])
        let receipt = Receipt(bytes: 10 << 20, duration: 5)
        _ = model.change(.make(1, name: "a.mov", size: 10 << 20, state: .done(receipt, at: .distantPast)))
        #expect(Self.texts(model) == ["a.mov done: 10 MiB in 5 s, 2 MiB/s"])
    }

    @Test func `an upload that resumes shows its offset`() {
        var model = Model.make([
            .make(1, name: "a.mov", size: 4 << 20, state: .waiting(3), confirmed: 1 << 20)
        ])
        _ = model.change(.make(1, name: "a.mov", size: 4 << 20, state: .running, confirmed: 1 << 20))
        #expect(Self.texts(model) == ["a.mov resumed at 25% of 4 MiB"])
    }

    @Test(arguments: UploadEvent.Kind.allCases)
    func `the log and the line mode have the same words for it`(kind: UploadEvent.Kind) {
        let event = UploadEvent.make(kind, 1, state: .running)
        let phrase = event.sentence.dropFirst("upload 1 ".count).prefix { $0 != ":" }
        #expect(event.named.hasPrefix("file-1.bin \(phrase)"))
    }

    @Test func `uploads that were there when the screen opened are not logged`() {
        #expect(Self.numbered(0).log.entries.isEmpty)
    }

    @Test func `the network that goes and comes back is written down once each`() {
        var model = Model.make([.make(1)])
        let lost = EngineStatus(
            network: .offline(since: Date(timeIntervalSince1970: Clock.start), reason: "no address"))
        _ = model.change(status: lost)
        _ = model.change(status: lost)
        _ = model.pass(to: 41)
        _ = model.change(status: EngineStatus())
        #expect(
            Self.texts(model) == [
                "no network (no address); uploads wait, nothing is lost",
                "the network is back; uploads resume where they stopped",
            ])
    }

    @Test func `a command of the user is logged, and one without effect is not`() {
        var model = Model.make([.make(1, name: "a.mov")])
        model.type("r")
        _ = model.update(.replied(.changed([1]), to: .pause(warning: nil)))
        #expect(Self.texts(model) == ["paused a.mov; p resumes"])
    }

    @Test func `the newest ten thousand are kept`() {
        var log = LogModel()
        for number in 1...25_000 { log.add(.information, "\(number)", date: .distantPast) }
        #expect(log.entries.count <= LogModel.limit + 1000)
        #expect(log.entries.count >= LogModel.limit)
        #expect(log.entries.last?.text == "25000")
    }

    @Test func `the newest entry is below the list, five of them on a large screen`() {
        var model = Self.numbered(7)
        #expect(model.frame().text(21).hasSuffix("warn  entry 6"))
        _ = model.update(.resized(Size(rows: 40, columns: 120)))
        #expect(
            (34...38).map { model.frame().text($0).suffix(7) } == [
                "entry 2", "entry 3", "entry 4", "entry 5", "entry 6",
            ])
    }

    @Test func `the log follows until the user scrolls up, and says how many are newer`() {
        var model = Self.numbered(9)
        model.type("l")
        model.log.add(.information, "entry 9", date: model.clock.date)
        #expect(Self.selected(model) == "entry 9")
        model.type("kk")
        model.log.add(.information, "entry 10", date: model.clock.date)
        #expect(Self.selected(model) == "entry 7")
        #expect(model.frame().description.contains("3 newer"))
        model.type("f")
        #expect(Self.selected(model) == "entry 10")
    }

    @Test func `w leaves out what matters less`() {
        var model = Self.numbered(9)
        model.type("lwg")
        #expect(Self.selected(model) == "entry 0")
        model.type("j")
        #expect(Self.selected(model) == "entry 3")
        model.type("w")
        #expect(model.frame().description.contains("no match"))
        model.type("wgj")
        #expect(Self.selected(model) == "entry 1")
    }

    @Test func `words narrow the log, and Esc ends that before it closes`() {
        var model = Self.numbered(30)
        model.type("l/ENTRY 2")
        #expect(model.context == .logSearch)
        _ = model.update(.key(.enter))
        model.type("g")
        #expect(Self.selected(model) == "entry 2")
        model.type("j")
        #expect(Self.selected(model) == "entry 12")
        _ = model.update(.key(.escape))
        #expect(model.context == .log)
        _ = model.update(.key(.escape))
        #expect(model.context == .list)
    }

    @Test func `Enter goes to the upload wherever the list is`() {
        var model = Self.numbered(2)
        model.type("/a.mov")
        _ = model.update(.key(.enter))
        model.type("6l")
        _ = model.update(.key(.enter))
        #expect(model.context == .list)
        #expect(model.list.cursor?.id == 2)
        #expect(model.list.rows.contains { $0.id == 2 })
    }

    @Test func `an upload that is gone cannot be gone to`() {
        var model = Self.numbered(1)
        _ = model.change(removed: [1])
        model.type("l")
        _ = model.update(.key(.enter))
        #expect(model.context == .log)
        #expect(model.toast.current?.text == "it is no longer in the queue")
    }

    @Test func `Enter shows the whole text of an entry about no upload, and any other key ends that`() {
        var model = Model.make(rows: 10, columns: 40)
        let text = "the engine has gone; the uploads wait for another one, and nothing is lost"
        model.log.add(.warning, text, date: model.clock.date)
        model.type("l")
        #expect(!model.frame().description.contains("nothing is lost"))
        #expect(model.frame().description.contains("[Enter] whole text"))
        _ = model.update(.key(.enter))
        model.log.add(.information, "a newer entry", date: model.clock.date)
        let words = model.frame().description.split(whereSeparator: { " \n│".contains($0) }).joined(
            separator: " ")
        #expect(words.contains("14:00:00 warn " + text) && !words.contains("newer entry"), "\(words)")
        #expect(words.contains("[Enter] back"))
        model.type("q")
        #expect(model.context == .log)
        #expect(model.frame().description.contains("newer entry"))
        #expect(Self.selected(model) == text)
    }

    @Test(arguments: [(EngineOwnership.own, false), (.detachable, true), (.attached, true)])
    func `an empty log names the file with the earlier entries, where there can be some`(
        ownership: EngineOwnership, isNamed: Bool
    ) {
        var model = Model.make(rows: 10, columns: 40, ownership: ownership)
        model.type("l")
        let screen = model.frame().description
        #expect(screen.contains("no entries"))
        #expect(screen.contains("ferry.log") == isNamed, "\(screen)")
    }

    @Test func `hostile names are harmless in the log`() {
        var model = Model.make([.make(1, name: "evil\u{1B}[31m\u{202E}", state: .running)])
        _ = model.change(.make(1, name: "evil\u{1B}[31m\u{202E}", state: .failed))
        #expect(model.frame().text(21).contains("evil\\e[31m"))
        model.type("l")
        #expect(model.frame().isWhole)
        #expect(!model.frame().description.unicodeScalars.contains("\u{1B}"))
    }
}
