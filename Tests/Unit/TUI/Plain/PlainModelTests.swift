import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct PlainModelTests {
    @Test func `at first it says what is in the queue and what failed, and not how everything came to be`() {
        var plain = PlainModel(
            destinations: DestinationNames(), readsTerminal: true, clock: .at(0))
        let opened = plain.update(.opened(because: "there is none"))
        #expect(opened.lines == ["ferry in plain lines, because there is none; help lists the commands"])
        let uploads = [Upload.make(1, state: .done), .make(2, state: .failed), .make(3), .make(4)]
        let update = QueueUpdate(isComplete: true, changed: uploads, removed: [], status: EngineStatus())
        #expect(
            plain.update(.news(.queue(update))).lines == [
                "in the queue: 2 queued, 1 failed, 1 done",
                "upload 2 failed: file-2.bin: 403 no write access; fix the rights, then r (retry 2)",
            ])
    }

    @Test func `a line that is typed before the queue is known gets its response once it is`() {
        var plain = PlainModel(
            destinations: DestinationNames(), readsTerminal: false, clock: .at(0))
        #expect(plain.type("list").lines == [])
        #expect(plain.update(.inputEnded).lines == [])
        let update = QueueUpdate(
            isComplete: true, changed: [.make(1)], removed: [], status: EngineStatus())
        let lines = plain.update(.news(.queue(update))).lines
        #expect(lines.first == "in the queue: 1 queued")
        #expect(lines.dropFirst().first?.contains("file-1.bin") == true)
    }

    @Test func `an upload is reported from beginning to end`() {
        var plain = PlainModel.make()
        #expect(plain.change([.make(1, size: 2048)]).lines == ["upload 1 added: file-1.bin, 2 KiB, to box"])
        #expect(
            plain.change([.make(1, size: 2048, state: .running)]).lines == [
                "upload 1 started: file-1.bin, 2 KiB, to box"
            ])
        #expect(
            plain.change([.make(1, size: 2048, state: .done)]).lines.first?.hasPrefix("upload 1 done:")
                == true)
        #expect(plain.change([], removed: [1]).lines.isEmpty, "that the queue lets go of it is no news")
    }

    @Test func `the network is reported, and no upload for itself`() {
        var plain = PlainModel.make([.make(1, state: .running)])
        let away = EngineStatus(
            network: .offline(since: Date(timeIntervalSince1970: 0), reason: "no address"))
        #expect(
            plain.change([.make(1, state: .paused(.offline))], status: away).lines
                == ["no network (no address); uploads wait, nothing is lost"])
        #expect(
            plain.change([.make(1, state: .running)], status: EngineStatus()).lines
                == [
                    "the network is back; uploads resume where they stopped",
                    "upload 1 started: file-1.bin, 1 KiB, to box",
                ])
    }

    @Test func `a notice of the queue is printed once`() {
        var plain = PlainModel.make()
        let full = EngineStatus(
            storage: .refusing, notice: UploadFailure(.storage, "the disk is full", hint: "make room"))
        #expect(plain.change([], status: full).lines == ["the disk is full; make room"])
        #expect(plain.change([], status: full).lines.isEmpty)
        #expect(plain.change([], status: EngineStatus()).lines == ["saved again: everything is on disk"])
    }

    @Test func `progress is printed every ten seconds while something runs, and never else`() {
        var plain = PlainModel.make([.make(1, size: 1000, state: .running), .make(2)])
        var summaries: [Double] = []
        for second in 1...35 {
            let effects = plain.pass(to: Double(second))
            if plain.wantsProgress {
                _ = plain.update(
                    .progress([
                        ProgressSample(id: 1, sent: ByteCount(second) * 10, confirmed: 0, phase: .sending)
                    ]))
            }
            if !effects.lines.isEmpty { summaries.append(Double(second)) }
        }
        #expect(summaries == [10, 20, 30])
        _ = plain.change([.make(1, state: .done)])
        #expect(plain.deadline == nil)
        #expect(plain.pass(to: 100).lines.isEmpty)
    }

    @Test func `a line of progress has shares, what is left, rate and time`() {
        var plain = PlainModel.make([.make(1, size: 100 << 20, state: .running), .make(2, size: 0)])
        for second in 1...12 {
            _ = plain.pass(to: Double(second))
            let sent = ByteCount(second) << 20
            _ = plain.update(
                .progress([ProgressSample(id: 1, sent: sent, confirmed: 0, phase: .sending)]))
        }
        #expect(
            plain.model.summary
                == "1 upload runs (1 at 12%), 1 waits, 88 MiB left, 1 MiB/s, 1 min 28 s to go")
    }

    @Test func `nothing from outside is printed raw`() {
        var plain = PlainModel.make()
        let evil = "a\u{1B}[31m\u{9B}1m\u{202E}\n2 done: b"
        let failed = Upload.State.failed(UploadFailure(.permanent, evil, hint: evil, status: 400))
        let status = EngineStatus(notice: UploadFailure(.network, evil))
        var effects = plain.change([.make(1, name: evil, state: failed)], status: status)
        effects += plain.type("list") + plain.type("show 1") + plain.type(evil) + plain.type("pause \(evil)")
        effects += plain.type("pause 1") + plain.reply(.refused(UploadFailure(.permanent, evil)))
        #expect(effects.lines.count > 7)
        for line in effects.lines {
            let isSafe = line.unicodeScalars.allSatisfy { CellWidth.of($0) != nil }
            #expect(isSafe, "\(line.debugDescription)")
        }
    }

    @Test func `a line has an end, however long the server's text is`() {
        var plain = PlainModel.make()
        let failed = Upload.State.failed(UploadFailure(.permanent, String(repeating: "no ", count: 10_000)))
        #expect(plain.change([.make(1, state: failed)]).lines.allSatisfy { $0.count <= 2003 })
    }
}
