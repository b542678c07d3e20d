import FerryProtocols
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the line about an upload in the output of commands.
struct UploadTextTests {
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func words(_ upload: Upload, sent: ByteCount? = nil, showsPlace: Bool = false) -> [String] {
        UploadText.line(upload, sent: sent, showsPlace: showsPlace, now: Self.now)
            .split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    private func planned(_ state: Upload.State, in seconds: Double? = nil, after: Upload.ID? = nil) -> Upload
    {
        var upload = Upload.boxed(9, state)
        upload.start = .init(
            notBefore: seconds.map { Self.now.addingTimeInterval($0) }, after: after.map { [$0...$0] } ?? [])
        return upload
    }

    @Test func `the row shows the bytes that were sent, not only the confirmed ones`() {
        #expect(words(.boxed(1, .running), sent: 4) == ["1", "running", "10B", "40%", "1"])
        #expect(words(.boxed(1, .running)) == ["1", "running", "10B", "0%", "1"])
    }

    @Test func `a paused upload shows what the server has probably stored`() {
        var upload = Upload.boxed(1, .paused(.user))
        upload.resource = UploadResource(url: "https://box.example/1")
        upload.tries.sent = 4
        #expect(words(upload) == ["1", "paused", "10B", "40%", "1"])
    }

    @Test func `a file with another name at the server is shown with both names`() {
        var upload = Upload.boxed(1)
        upload.target.name = "reel.mov"
        upload.batch = "may"
        #expect(words(upload) == ["1", "queued", "10B", "1", "(as reel.mov; batch may)"])
    }

    @Test func `a name with the folders of the path is no other name`() {
        var upload = Upload.boxed(1)
        upload.target.name = "out/1"
        #expect(words(upload) == ["1", "queued", "10B", "out/1"])
    }

    @Test func `the destination is shown if it is asked for`() {
        #expect(words(.boxed(1), showsPlace: true) == ["1", "queued", "10B", "1 -> box"])
        var upload = Upload.boxed(1)
        upload.target.destination = ""
        #expect(words(upload, showsPlace: true).last == "1 -> https://box.example/")
    }

    @Test(
        arguments: [
            (-1, "now"), (11.5, "in 12 s"), (4200, "in 70 min"), (86_400, "in 24 h"),
        ] as [(Double, String)])
    func `the time to the next attempt has the unit that fits it`(seconds: Double, wait: String) {
        let until = Self.now.addingTimeInterval(seconds)
        let upload = Upload.boxed(1, .waiting(until: until, failure: UploadFailure(.server, "it is busy")))
        #expect(UploadText.remark(upload, now: Self.now) == "retrying \(wait): it is busy")
    }

    @Test func `a server that wants a token of an address alone leads to ferry init`() {
        let failure = UploadFailure(
            .authentication, "the server answered 401 (not signed in); the server asks for Bearer",
            hint: "set the destination's auth", status: 401)
        var upload = Upload.boxed(1, .held(failure))
        #expect(UploadText.remark(upload) == failure.summary + "; set the destination's auth")
        upload.target.destination = ""
        let advice = "set up a destination with `ferry init URL --token-file FILE`, then add the file to it"
        #expect(UploadText.remark(upload) == "not signed in (401): the server wants a token; \(advice)")
    }

    @Test(arguments: [Upload.State.queued, .paused(.user)])
    func `an upload with a start condition names the condition, paused or not`(state: Upload.State) {
        #expect(words(planned(state, after: 3)).last == "(after 3)")
        #expect(words(planned(state, in: 60)).last?.hasPrefix("(at ") == true)
        #expect(words(planned(state, in: -60)).last == "9")
    }
}
