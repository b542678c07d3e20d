import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct NewsTests {
    private static let offline = Upload.State.paused(.offline)
    private static let paused = Upload.State.paused(.user)

    @Test(
        arguments: [
            (.queued, .running, .began), (.running, .done, .done), (.running, .failed, .failed),
            (.running, .waiting(5), .waits), (.running, paused, .paused), (paused, .queued, .resumed),
            (.failed, .queued, .queuedAgain), (.changed, .queued, .queuedAgain), (.queued, .changed, .held),
            (paused, offline, .resumed), (.running, offline, .offline), (offline, paused, .paused),
            (.running, .queued, nil), (.waiting(5), .queued, nil), (offline, .queued, nil),
            (.queued, .queued, nil), (paused, .paused([.user, .offline]), nil),
        ] as [(Upload.State, Upload.State, News.Kind?)])
    func `a change of state is told once`(old: Upload.State, new: Upload.State, kind: News.Kind?) {
        let found = News.Kind(from: .make(1, state: old), to: .make(1, state: new), isOffline: false)
        #expect(found == kind)
    }

    @Test func `where everybody knows that there is no network, not each upload says so`() {
        let old = Upload.make(1, state: .running)
        #expect(News.Kind(from: old, to: .make(1, state: Self.offline), isOffline: true) == nil)
    }

    @Test func `a wait that is told in the time there is now is no new wait`() {
        let old = Upload.make(1, state: .waiting(5))
        #expect(News.Kind(from: old, to: .make(1, state: .waiting(5.25)), isOffline: false) == nil)
        var again = Upload.make(1, state: .waiting(9))
        again.tries.attempts = 2
        #expect(News.Kind(from: old, to: again, isOffline: false) == .waits)
    }

    @Test func `what the server holds part of goes on, and does not begin`() {
        let old = Upload.make(1)
        let new = Upload.make(1, state: .running, confirmed: 400)
        #expect(News.Kind(from: old, to: new, isOffline: false) == .wentOn)
    }

    @Test(
        arguments: [
            (.began, .running, 0, "7 began: film.mov, 4 MB, to box"),
            (.wentOn, .running, 1 << 20, "7 went on: film.mov, from 25% of 4 MB"),
            (.paused, paused, 1 << 20, "7 paused: film.mov, at 25%"),
            (.removed, .queued, 0, "7 removed: film.mov"),
            (.waits, .waiting(12), 0, "7 is tried again in 12 s: film.mov: 503 the server is busy"),
            (
                .failed, .failed, 0,
                "7 failed: film.mov: 403 no write access; fix the rights, then r (retry 7)"
            ),
            (
                .held, .changed, 0,
                "7 is held: film.mov: edited while queued; r sends the new version (retry 7)"
            ),
        ] as [(News.Kind, Upload.State, ByteCount, String)])
    func `a line has the number, the word, the name and what matters`(
        kind: News.Kind, state: Upload.State, reached: ByteCount, line: String
    ) {
        let upload = Upload.make(7, name: "film.mov", size: 4 << 20, state: state)
        #expect(News(kind: kind, upload: upload, reached: reached, clock: .at(0)).sentence == line)
    }

    @Test func `what is done says how long it took, how fast it went and whether it is verified`() {
        let receipt = Receipt(bytes: 4 << 20, duration: 2.5, verified: .md5)
        let upload = Upload.make(
            7, name: "film.mov", size: 4 << 20, state: .done(receipt, at: Date(timeIntervalSince1970: 0)))
        let news = News(kind: .done, upload: upload, reached: 0, clock: .at(0))
        #expect(news.sentence == "7 done: film.mov, 4 MB in 2.5 s, 1.6 MB/s, verified (MD5)")
    }

    @Test func `an upload without an answer names the commands, and no keys`() {
        let upload = Upload.make(
            7, name: "film.mov", state: .held(UploadFailure(.outcomeUnknown, "no answer came")))
        let line = News(kind: .held, upload: upload, reached: 0, clock: .at(0)).sentence
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
}
