import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct FrameTests {
    /// Returns a model with an upload in each state, and with names of different scripts.
    private static func everyState(rows: Int, columns: Int, isUnicode: Bool = true) -> Model {
        var model = Model.make(
            [
                .make(1, name: "intro-teaser.mp4", size: 222_000_000, state: .done),
                .make(2, name: "interview-cam-A.mov", size: 4_400_000_000, state: .running),
                .make(3, name: "報告書-最終版.pdf", size: 40_000_000, state: .running),
                .make(
                    4, name: "raw-footage-day3-reel-7-take-11-version-2.braw", size: 19_300_000_000,
                    state: .running),
                .make(
                    5, name: "wide-drone-pass.mov", size: 9_900_000_000, state: .waiting(12),
                    confirmed: 4_700_000_000),
                .make(
                    6, name: "b-roll-city.mov", size: 2_900_000_000, state: .paused(.user),
                    confirmed: 1_000_000_000),
                .make(7, name: "voice-over.wav", size: 671_000_000, state: .failed, confirmed: 80_000_000),
                .make(8, name: "timeline.drp", size: 1_150_000, state: .changed),
                .make(9, name: "evil\u{1B}[31mred.txt", size: 12_288, state: .paused(.offline)),
                .make(10, name: "empty.txt", size: 0),
                .make(11, name: "IMG_10011.CR3", size: 22_000_000),
            ], rows: rows, columns: columns, isUnicode: isUnicode)
        for step in 0...24 {
            _ = model.pass(to: Double(step) * 0.25)
            let elapsed = ByteCount(step)
            _ = model.update(
                .progress([
                    ProgressSample(
                        id: 2, sent: 2_700_000_000 + elapsed * 2_500_000, confirmed: 0, phase: .sending),
                    ProgressSample(id: 3, sent: 40_000_000, confirmed: 0, phase: .waitingForServer),
                    ProgressSample(id: 4, sent: 0, confirmed: 0, phase: .connecting),
                ]))
        }
        _ = model.update(.key(.character("g")))
        model.type("jj ")
        return model
    }

    @Test func `80 by 24`() {
        let expected = """
             ● online  box  ↑ 9.5 MiB/s  3 of 4 uploading  ETA 43:36  24.4 GiB left
             All 11  Active 5  Queued 2  Paused 1  Failed 2  Done 1
              STATE      NAME                       SIZE PROGRESS              RATE      ETA
              ✓ done     intro-teaser.mp4           212M ━━━━━━━━━━━━━ 100%
              ▲ running  interview-cam-A.mov        4.1G ━━━━━━━━─────  62%  9.5M/s    02:44
             *▲ running  報告書-最終版.pdf           38M ━━━━━━━━━━━━━ waiting for server
            ▸ ▲ running  raw-footage-day3…n-2.braw   18G ─────────────   0% connecting
              ↻ retry    wide-drone-pass.mov        9.2G ━━━━━━───────  47% in 6 s: 503
              ‖ paused   b-roll-city.mov            2.7G ━━━━─────────  34%
              ✗ FAILED   voice-over.wav             640M ━╸───────────  11% 403 no write ac…
              ? changed  timeline.drp               1.1M edited while queued; r: again
              ○ offline  evil\\e[31mred.txt           12K waiting for network
              · queued   empty.txt                    0B
              · queued   IMG_10011.CR3               21M






                                                            ⣀⣤⣶⣶⣶⣿  peak 9.5 MiB/s in 6 s

             /out/raw-footage-day3-reel-7-take-11-version-2.braw -> box
             ? help  n try now  a add  p pause  x remove  u undo  q quit      1 marked  4/11
            """
        #expect(Self.everyState(rows: 24, columns: 80).frame().description == expected)
    }

    @Test func `120 by 40`() {
        let expected = """
             ● online  box  ↑ 9.5 MiB/s  3 of 4 uploading  ETA 43:36 (14:43)  24.4 GiB left  1 paused
             [1] All 11   [2] Active 5   [3] Queued 2   [4] Paused 1   [5] Failed 2   [6] Done 1
                   # STATE      NAME                               SIZE PROGRESS                     RATE      ETA  TO
                   1 ✓ done     intro-teaser.mp4                   212M ━━━━━━━━━━━━━━━━━━━━ 100%                   box
                   2 ▲ running  interview-cam-A.mov                4.1G ━━━━━━━━━━━━╸───────  62%  9.5M/s    02:44  box
             *     3 ▲ running  報告書-最終版.pdf                   38M ━━━━━━━━━━━━━━━━━━━━ 100% waiting for server
            ▸      4 ▲ running  raw-footage-day3-reel-…ion-2.braw   18G ────────────────────   0% connecting
                   5 ↻ retry    wide-drone-pass.mov                9.2G ━━━━━━━━━───────────  47% in 6 s: 503 the server is busy
                   6 ‖ paused   b-roll-city.mov                    2.7G ━━━━━━╸─────────────  34%                   box
                   7 ✗ FAILED   voice-over.wav                     640M ━━──────────────────  11% 403 no write access
                   8 ? changed  timeline.drp                       1.1M edited while queued; r sends the new version
                   9 ○ offline  evil\\e[31mred.txt                   12K waiting for network
                  10 · queued   empty.txt                            0B                                             box
                  11 · queued   IMG_10011.CR3                       21M                                             box

             ? help  n try now  a add  p pause  x remove  u undo  q quit  space mark  o sort  b limit  c parallel     1 marked  4/11
            """
        let lines = Self.everyState(rows: 40, columns: 120).frame().description.split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect((lines.prefix(14) + lines.suffix(2)).joined(separator: "\n") == expected)
    }

    @Test func `40 by 10`() {
        let expected = """
             ● 2 failed ↑9.5M/s 3 up ETA 43:36
              ✓ intro-teaser.mp4        100%
              ▲ interview-cam-A.mov      62%  9.5M/s
             *▲ 報告書-最終版.pdf       100%  server
            ▸ ▲ raw-footage-day…-2.braw   0% connect
              ↻ wide-drone-pass.mov      47%     6 s
              ‖ b-roll-city.mov          34%
              ✗ voice-over.wav           11%     403
              ? timeline.drp                 changed
             ? help  n now  a add     1 marked  4/11
            """
        #expect(Self.everyState(rows: 10, columns: 40).frame().description == expected)
    }

    @Test func `80 by 24 in ASCII`() {
        let expected = """
             * online  box  ^ 9.5 MiB/s  3 of 4 uploading  ETA 43:36  24.4 GiB left
             All 11  Active 5  Queued 2  Paused 1  Failed 2  Done 1
              STATE      NAME                       SIZE PROGRESS              RATE      ETA
              + done     intro-teaser.mp4           212M ############# 100%
              ^ running  interview-cam-A.mov        4.1G ########-----  62%  9.5M/s    02:44
             *^ running  報告書-最終版.pdf           38M ############# waiting for server
            > ^ running  raw-footage-day3~n-2.braw   18G -------------   0% connecting
              r retry    wide-drone-pass.mov        9.2G ######-------  47% in 6 s: 503
              = paused   b-roll-city.mov            2.7G ####---------  34%
              ! FAILED   voice-over.wav             640M #------------  11% 403 no write ac~
              ? changed  timeline.drp               1.1M edited while queued; r: again
              o offline  evil\\e[31mred.txt           12K waiting for network
              . queued   empty.txt                    0B
              . queued   IMG_10011.CR3               21M
            """
        let lines = Self.everyState(rows: 24, columns: 80, isUnicode: false).frame().description.split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.prefix(14).joined(separator: "\n") == expected)
    }

    @Test func `too small for a list`() {
        #expect(
            Self.everyState(rows: 5, columns: 20).frame().description == """
                3 up 9.5M/s 2 failed
                list does not fit



                """)
    }

    @Test func `offline takes the status line and moves nothing`() {
        var model = Self.everyState(rows: 24, columns: 80)
        let before = model.frame()
        var status = EngineStatus()
        status.network = .offline(since: Date(timeIntervalSince1970: Clock.start), reason: "no address")
        _ = model.change(status: status)
        let after = model.frame()
        #expect(
            after.text(0) == " ○ OFFLINE since 14:00:00 - 2 uploads wait, nothing is lost  [n] try now"
        )
        #expect(after.row(0).allSatisfy { $0.role == .banner })
        #expect((1..<4).allSatisfy { before.text($0) == after.text($0) })
    }

    @Test func `S8 a full disk takes the status line, in the words that fit`() {
        let summary =
            "disk full: the queue in /home/ann/.local/state/ferry is not saved; "
            + "1 upload keeps running, no new ones start"
        let status = EngineStatus(
            storage: .refusing, notice: UploadFailure(.storage, summary, hint: "free some space"))
        for (columns, line) in [
            (80, " ! disk full, nothing is saved; 1 running, no new ones start"), (120, " ! \(summary)"),
            (160, " ! \(summary); free some space"),
        ] {
            var model = Model.make([.make(1, state: .running)], columns: columns)
            _ = model.change(status: status)
            let frame = model.frame()
            #expect(frame.text(0) == line)
            #expect(frame.row(0).allSatisfy { $0.role == .banner })
            _ = model.change(status: EngineStatus())
            #expect(!model.frame().text(0).contains("full"))
        }
    }

    @Test(arguments: [400, -400, 3653, -3653].map { Double($0) * 86_400 })
    func `S17 a countdown continues as before when the wall clock is set`(jump: Double) {
        var model = Model.make([.make(1, state: .waiting(40))], columns: 120)
        #expect(model.frame().description.contains("in 40 s"))
        var clock = Clock.at(10)
        clock.date += jump
        _ = model.update(.clock(clock))
        #expect(model.frame().description.contains("in 30 s"))
    }

    @Test func `in a large terminal a toast lies on the last line of the log and hides no other entry`() {
        var model = Model.make([.make(1, name: "a.mov")], rows: 40, columns: 120)
        for number in 1...9 { model.log.add(.information, "entry \(number)", date: model.clock.date) }
        let before = model.frame()
        #expect(before.text(38).hasSuffix("entry 9"))
        model.say(.warning, "not in the log")
        #expect(model.frame().text(37).hasSuffix("entry 9"))
        #expect(model.frame().text(38) == " not in the log")
        _ = model.update(.replied(.changed([1]), to: .pause(warning: nil)))
        #expect(model.frame().text(37).hasSuffix("entry 9"))
        #expect(model.frame().text(38).hasPrefix(" paused a.mov"))
        _ = model.pass(to: 60)
        #expect(model.frame().text(38).hasSuffix("info  paused a.mov; p resumes"))
        #expect((0..<33).allSatisfy { before.text($0) == model.frame().text($0) })
    }

    @Test(
        arguments: [
            (120, "edited while queued: was 48 MiB, is 11 B now; r: again"),
            (80, "edited while queued; r: again"),
            (72, "edited while queued; r: again"), (40, "changed"),
        ])
    func `a file that changed says what happened first, and the sizes where there is room`(
        columns: Int, text: String
    ) {
        let failure = UploadFailure(
            .sourceChanged, "/out/file-1.bin: edited while queued: was 48 MiB, is 11 B now",
            hint: "retry sends it as it is now")
        let row = Model.make(
            [.make(1, state: .held(failure))], rows: columns < 72 ? 10 : 24, columns: columns
        )
        .frame().text(columns < 72 ? 1 : 3)
        #expect(row.hasSuffix(" " + text), "\(row)")
    }

    @Test func `a missing file is named in a few columns`() {
        let failure = UploadFailure(.sourceUnreadable, "no such file")
        #expect(
            Model.make([.make(1, state: .failed(failure))], rows: 10, columns: 40).frame().text(1).hasSuffix(
                " no file"))
    }

    @Test(arguments: [40, 80])
    func `an upload with a confirmed checksum is called verified at every width`(columns: Int) {
        let receipt = Receipt(bytes: 1000, verified: .sha256)
        let done = Upload.make(1, state: .done(receipt, at: .distantPast))
        let row = Model.make([done], rows: columns < 72 ? 10 : 24, columns: columns).frame().text(
            columns < 72 ? 1 : 3)
        #expect(row.hasSuffix(columns < 72 ? "  verified" : "100%         verified"), "\(row)")
    }

    @Test(arguments: [72, 80, 120])
    func `the limit is written as the rate is`(columns: Int) {
        var model = Model.make([.make(1, state: .running)], columns: columns)
        _ = model.change(status: EngineStatus(limits: [BandwidthLimit(.total, .atMost(5 << 20))]))
        #expect(model.frame().text(0).contains("B/s  limit 5 MiB/s  "))
        _ = model.change(.make(1, state: .paused(.user)))
        #expect(model.frame().text(0).contains(" limit 5 MiB/s"))
    }

    @Test func `in ASCII the cursor and the states have different signs`() {
        let glyphs = Glyphs(isUnicode: false)
        #expect(!StateKind.allCases.map(glyphs.state).contains(glyphs.cursor))
    }

    @Test func `an empty queue without a destination says how to get one`() {
        let screen = Model.make(destinations: []).frame().description
        #expect(screen.contains("`ferry init` sets one up"))
    }

    @Test func `an empty queue says what to do`() {
        let screen = Model.make().frame().description
        #expect(screen.contains("Nothing to upload yet."))
        #expect(screen.contains("add files"))
    }

    @Test func `a server's text cannot leave its row`() {
        let failure = UploadFailure(
            .permanent, "bad\n\u{1B}[2Jnews \u{202E}" + String(repeating: "x", count: 5000), status: 400)
        let frame = Model.make([.make(1, state: .failed(failure))]).frame()
        #expect(frame.text(3).contains("400 bad\\n\\e[2Jnews"))
        #expect(frame.description.unicodeScalars.allSatisfy { $0 == "\n" || CellWidth.of($0) != nil })
    }

    @Test func `an undecodable name is shown with replacement characters`() {
        var upload = Upload.make(1)
        upload.path = .init(bytes: Array("/out/caf".utf8) + [0xE9] + Array(".txt".utf8))
        #expect(Model.make([upload]).frame().text(3).contains("caf\u{FFFD}.txt"))
    }

    @Test func `escapes have a role of their own`() {
        let frame = Model.make([.make(1, name: "a\u{1B}b")]).frame()
        let escaped = frame.row(3).filter { $0.role == .escape }
        #expect(escaped.count == 2)
    }

    @Test func `overwriting half a wide character blanks the other half`() {
        var frame = Frame(size: Size(rows: 1, columns: 6))
        frame.put("報告書", row: 0, column: 0)
        frame.put("x", row: 0, column: 3)
        #expect(frame.text(0) == "報 x書")
        #expect(frame.isWhole)
    }
}

extension Frame {
    /// True if every wide character occupies two cells, and no half of one stands alone.
    var isWhole: Bool {
        for row in 0..<size.rows {
            let line = Array(self.row(row))
            for (column, cell) in line.enumerated() {
                switch cell.width {
                case 2: if column + 1 >= line.count || line[column + 1].width != 0 { return false }
                case 0: if column == 0 || line[column - 1].width != 2 { return false }
                case 1: if cell.scalar == 0 { return false }
                default: return false
                }
            }
        }
        return true
    }
}
