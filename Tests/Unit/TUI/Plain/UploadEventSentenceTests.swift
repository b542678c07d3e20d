import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct UploadEventSentenceTests {
    private static let paused = Upload.State.paused(.user)

    @Test(
        arguments: [
            (.began, .running, 0, "upload 7 started: film.mov, 4 MiB, to box"),
            (.continued, .running, 1 << 20, "upload 7 resumed: film.mov, at 25% of 4 MiB"),
            (.paused, paused, 1 << 20, "upload 7 paused: film.mov, at 25%"),
            (.removed, .queued, 0, "upload 7 removed: film.mov"),
            (.waits, .waiting(12), 0, "upload 7 retrying in 12 s: film.mov: 503 the server is busy"),
            (
                .failed, .failed, 0,
                "upload 7 failed: film.mov: 403 no write access; fix the rights, then r (retry 7)"
            ),
            (
                .held, .changed, 0,
                "upload 7 is held: film.mov: edited while queued; r sends the new version (retry 7)"
            ),
        ] as [(UploadEvent.Kind, Upload.State, ByteCount, String)])
    func `a line has the number, the word, the name and what matters`(
        kind: UploadEvent.Kind, state: Upload.State, reached: ByteCount, line: String
    ) {
        let upload = Upload.make(7, name: "film.mov", size: 4 << 20, state: state)
        #expect(UploadEvent(kind, upload, reached: reached, date: Clock.at(0).date).sentence == line)
    }

    @Test func `a done upload's line has the duration, the rate and the verification`() {
        let receipt = Receipt(bytes: 4 << 20, duration: 2.5, verified: .md5)
        let upload = Upload.make(
            7, name: "film.mov", size: 4 << 20, state: .done(receipt, at: Date(timeIntervalSince1970: 0)))
        let event = UploadEvent(.done, upload, reached: 0, date: Clock.at(0).date)
        #expect(event.sentence == "upload 7 done: film.mov, 4 MiB in 2.5 s, 1.6 MiB/s, verified (MD5)")
    }

    @Test func `an upload without a response names the commands, and no keys`() {
        let upload = Upload.make(
            7, name: "film.mov", state: .held(UploadFailure(.outcomeUnknown, "no answer came")))
        let line = UploadEvent(.held, upload, reached: 0, date: Clock.at(0).date).sentence
        #expect(line.contains("retry 7 sends it again (maybe twice), remove 7 removes it"))
    }

    @Test(
        arguments: [
            (0, "0 s"), (0.44, "0.4 s"), (9.96, "10 s"), (42, "42 s"), (151, "2 min 31 s"),
            (4380, "1 h 13 min"), (273_600, "3 days 4 h"), (.infinity, "very long"),
        ])
    func `a duration can be read aloud`(seconds: Double, text: String) {
        #expect(PlainText.duration(seconds) == text)
    }

    @Test func `a limit of the timetable says until when it holds`() {
        let until = Date(timeIntervalSince1970: 1_704_132_000)
        let slow = BandwidthLimit(.total, .atMost(2 << 20), origin: .timetable, until: until)
        let sentence = StatusChange.limit(slow).sentence(at: until - 60, in: .gmt)
        #expect(sentence == "by the timetable, total limit: 2 MiB/s until 18:00")
    }
}
