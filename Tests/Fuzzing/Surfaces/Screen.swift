import FerryFiles
import FerryProtocols

@testable import FerryTUI

extension FuzzSurface {
    /// The input of a terminal, in chunks of any size. No control character may become a key, and later keys must be
    /// read correctly.
    static let terminal = FuzzSurface("terminal") { input in
        var input = input
        var reader = KeyReader()
        var now = 0.0
        for chunk in input.chunks() {
            now += Double(chunk.count) / 200
            for key in reader.expire(now: now) + reader.read(chunk, now: now) {
                guard case .character(let character) = key else { continue }
                promise(!character.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }, "\(key)")
            }
        }
        _ = reader.read(Array("\u{1B}[201~\u{7}".utf8), now: now)
        for _ in 0..<8 {
            now += 1
            _ = reader.read([0x1B], now: now)
            now += 1
            _ = reader.expire(now: now)
        }
        promise(reader.read([UInt8(ascii: "a")], now: now) == [.character("a")], "a key is lost")
    }

    /// Text from outside, before it is shown on the screen or in the plain lines.
    static let texts = FuzzSurface("texts") { input in
        let text = input.text
        let safe = SafeText(text)
        promise(safe.units.allSatisfy { $0.width > 0 })
        for scalar in safe.text.unicodeScalars {
            let category = scalar.properties.generalCategory
            promise(
                category != .control && category != .format && category != .lineSeparator, "\(scalar.value)")
        }
        var splitter = LineSplitter(limit: 64)
        let lines = splitter.add(input.all) + [splitter.finish()].compactMap { $0 }
        for case .text(let line) in lines { _ = try? PlainCommand.parse(line) }
    }
}
