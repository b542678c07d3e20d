import FerryTestSupport
import FerryTransfer
import FerryUploads
import Testing

@testable import FerryTUI

/// Feeds random bytes to the key reader and the model, and checks the frames.
@Suite struct InputFuzzTests {
    /// The number of bytes of each seed.
    private static let count = LongTests.areWanted ? 125_000 : 30_000

    @Test(arguments: 0..<8) func `random bytes never stop the screen, and afterwards keys are keys`(
        seed: UInt64
    ) {
        var typist = Typist(seed: seed)
        var fed = 0
        while fed < Self.count {
            let bytes = typist.bytes()
            typist.feed(bytes)
            fed += bytes.count
            if typist.dice.isOne(in: 40) { typist.disturb() }
            if typist.dice.isOne(in: 100) {
                let frame = typist.look()
                #expect(frame.isWhole, "\(typist.model.size)\n\(frame)")
                #expect((0..<frame.size.rows).contains(frame.cursor.row))
                #expect((0..<frame.size.columns).contains(frame.cursor.column))
            }
        }
        typist.recover()
        #expect(typist.model.context == .list)
        typist.feed([UInt8(ascii: "?")])
        #expect(typist.model.context == .help)
    }
}

/// Feeds bytes to a model as the program does, and plays the program's part for its effects.
private struct Typist {
    private static let fragments: [[UInt8]] = [
        "\u{1B}", "\u{1B}[", "\u{1B}O", "\u{1B}[A", "\u{1B}[1;2B", "\u{1B}[3~", "\u{1B}[5~", "\u{1B}[B",
        "\u{1B}[B", "\u{1B}[C", "\u{1B}[D", " ", "\u{1B}OR", "\u{1B}[200~",
        "\u{1B}[201~", "\u{1B}[201~", "\u{1B}[<0;12;5M", "\u{1B}[<0;40;1M", "\u{1B}[<0;", "\u{1B}[<65;1;1M",
        "\u{1B}[<0;99999999999999999999;1M", "\u{1B}[9;9R", "\u{1B}]52;c;", "\u{7}", "\u{1B}P1$r", "\u{1B}\\",
        "\u{1B}[;;;;;;", "報", "👩‍👩‍👧", "é\u{301}", "\u{202E}", "/a/b\n", "/batch:x\r", "b20000000\r",
        "?remove all\r", "q", "y", "\r", "?", "/", "size>", "o",
        "a", "x",
    ].map { Array($0.utf8) }
    private static let states: [Upload.State] = [
        .queued, .running, .waiting(5), .paused(.user), .paused(.offline), .changed, .done, .failed,
    ]

    var dice: SeededGenerator
    private(set) var model: Model
    private var reader = KeyReader()
    private var frame: Frame
    private var now = 0.0

    init(seed: UInt64) {
        dice = SeededGenerator(seed: seed)
        model = Model.make((1...60).map { Upload.make($0, state: Self.states[$0 % Self.states.count]) })
        frame = model.frame()
    }

    /// Returns random bytes and parts of escape sequences, cut at a random byte.
    mutating func bytes() -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...12, using: &dice) {
            if dice.happens(50) {
                bytes += Self.fragments.randomElement(using: &dice) ?? []
            } else {
                bytes.append(.random(in: 0...255, using: &dice))
            }
        }
        return Array(bytes.prefix(.random(in: 1...bytes.count, using: &dice)))
    }

    mutating func feed(_ bytes: [UInt8]) {
        now += .random(in: 0...0.2, using: &dice)
        update(.clock(.at(now)))
        for key in reader.expire(now: now) { handle(key) }
        if !bytes.isEmpty { for key in reader.read(bytes, now: now) { handle(key) } }
    }

    private mutating func handle(_ key: Key) {
        switch key {
        case .press(_, let point): frame.target(at: point).map { update(.clicked($0)) }
        case .cursorPosition: break
        default: update(.key(key))
        }
    }

    private mutating func update(_ message: Message) {
        for effect in model.update(message) {
            switch effect {
            case .preview(let request, let number):
                let problem = FileSelection.Problem(path: LocalPath(request.text), reason: "no such file")
                let problems = Array(repeating: problem, count: .random(in: 1...40, using: &dice))
                update(.previewed(FileSelection(files: [], problems: problems), number: number))
            case .list(let place, let number):
                update(.listed(.make(place, &dice), number: number))
            case .complete(let line, let number):
                update(.completed([line + "a", line + "b"], number: number))
            default: break
            }
        }
    }

    /// Changes an upload and the size of the window. Both can happen between keys.
    mutating func disturb() {
        let state = Self.states.randomElement(using: &dice) ?? .queued
        _ = model.change(.make(.random(in: 1...60, using: &dice), state: state))
        update(
            .resized(
                Size(rows: .random(in: 1...50, using: &dice), columns: .random(in: 1...150, using: &dice))))
    }

    mutating func look() -> Frame {
        frame = model.frame()
        return frame
    }

    /// Leaves whatever may be open: a paste, a terminal's reply, an escape sequence, a question, a text field, a
    /// dialog.
    mutating func recover() {
        feed(Array("\u{1B}[201~\u{7}".utf8))
        for _ in 0..<8 {
            now += 1
            feed([0x1B])
            now += 1
            feed([])
        }
    }
}
