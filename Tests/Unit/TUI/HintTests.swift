import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct HintTests {
    private static func hints(_ upload: Upload, columns: Int = 80) -> String {
        Model.make([upload], rows: columns < 72 ? 10 : 24, columns: columns).frame().text(
            columns < 72 ? 9 : 23)
    }

    @Test(arguments: [Upload.State.failed, .changed])
    func `retry is the first action offered for a failed or held upload`(state: Upload.State) {
        #expect(Self.hints(.make(1, state: state)).hasPrefix(" ? help  r retry  a add  x remove"))
        #expect(Self.hints(.make(1, state: state), columns: 40).hasPrefix(" ? help  r retry  a add"))
    }

    @Test(arguments: [Upload.State.queued, .running, .done])
    func `retry is not offered for an upload that cannot be retried`(state: Upload.State) {
        #expect(!Self.hints(.make(1, state: state)).contains("retry"))
    }

    @Test func `pause is not offered for a done upload`() {
        #expect(!Self.hints(.make(1, state: .done)).contains("pause"))
        #expect(Self.hints(.make(1, state: .paused(.user))).contains("p resume"))
    }

    @Test func `the pause key resumes where a paused upload is marked and none can be paused`() {
        var model = Model.make([.make(1, state: .paused(.user)), .make(2, state: .done)])
        _ = model.update(.key(.control("a")))
        #expect(model.frame().text(23).contains("p resume"))
    }

    @Test func `a reason is not hidden behind the path of its file`() {
        let missing = Upload.State.failed(
            UploadFailure(.sourceUnreadable, "/out/a.txt: no such file", hint: "put the file right"))
        let frame = Model.make([.make(1, name: "a.txt", state: missing)]).frame()
        #expect(frame.text(3).hasSuffix(" no such file; put the file right"))
        #expect(frame.text(22) == " no such file; put the file right")
    }

    private static func row(_ failure: UploadFailure, columns: Int) -> String {
        let until = Date(timeIntervalSince1970: Clock.start + 12)
        let waiting = Upload.make(1, state: .waiting(until: until, failure: failure))
        return Model.make([waiting], columns: columns).frame().text(3)
    }

    @Test func `the kind of a failure is named where the reason does not fit`() {
        let lost = UploadFailure(.network, "the connection to files.example broke: EISCONN")
        #expect(Self.row(lost, columns: 80).hasSuffix("in 12 s: network"))
    }

    @Test(
        arguments: [
            (UploadFailure.Detail.refused, "refused"), (.unreachable, "unreachable"),
            (.nameNotFound, "name not found"), (.reset, "reset"), (.closed, "closed"), (.notHTTP, "not HTTP"),
            (.proxy, "proxy"), (UploadFailure.Detail(rawValue: "fromTheFuture"), "network"),
        ] as [(UploadFailure.Detail, String)])
    func `the event on the connection is named where the reason does not fit`(
        detail: UploadFailure.Detail, words: String
    ) {
        let summary = "no connection to \(String(repeating: "files.", count: 20))example: \(detail.rawValue)"
        let lost = UploadFailure(.network, summary, detail: detail)
        #expect(Self.row(lost, columns: 120).hasSuffix("in 12 s: \(words)"))
        let narrow = Self.row(lost, columns: 80)
        #expect(narrow.hasSuffix("in 12 s: \(words.count > 7 ? "network" : words)"), "\(narrow)")
    }

    @Test func `a server that does not respond in time is no failure of the network`() {
        let host = String(repeating: "files.", count: 20) + "example"
        let silent = UploadFailure(.timedOut, "\(host) did not answer in time", detail: .noResponse)
        #expect(Self.row(silent, columns: 120).hasSuffix("in 12 s: no answer"))
    }

    @Test func `that it quits when these are done is said however long the line is`() {
        var model = Model.make([.make(1, size: 1 << 40, state: .running)])
        model.type("q")
        _ = model.pass(to: 1)
        model.type("w")
        #expect(model.frame().text(0).contains("quits when these are done"))
    }

    @Test func `the keys of a dialog are all there however narrow it is`() {
        var model = Model.make(rows: 10, columns: 40, destinations: ["box", "other"])
        model.type("a")
        let text = model.frame().description
        // The list of left-out files is not offered, because none is left out yet.
        for entry in ActionTable.standard.entries(in: .add) where entry.action != .leftOut {
            #expect(text.contains("[\(entry.keys[0].label)] \(entry.hint ?? "")"))
        }
    }

    @Test func `a small dialog shows the input and the matches before all keys`() {
        var model = Model.make(rows: 6, columns: 36)
        model.type("a")
        let text = model.frame().description
        #expect(text.contains("files") && text.contains("box") && text.contains("a path, or a pattern"))
        #expect(text.contains("[Enter] add"))
    }

    @Test func `the note names the upload again only where the server knows it by another name`() {
        var renamed = Upload.make(1, name: "a.txt")
        renamed.target.name = "b.txt"
        #expect(Model.make([renamed]).frame().text(22).contains("/out/a.txt -> box: b.txt"))
        var nested = Upload.make(1, name: "day/a.txt")
        #expect(Model.make([nested]).frame().text(22).contains("/out/day/a.txt -> box"))
        nested.target.name = "ay/a.txt"
        #expect(Model.make([nested]).frame().text(22).contains("/out/day/a.txt -> box: ay/a.txt"))
    }
}
