import FerryStateSimulation
import Testing

struct DamageTests {
    private func outcomes(
        of seed: UInt64, bits: Range<Int>, where isMeant: (StateDamage) -> Bool
    ) throws -> (found: Int, refused: Int, failures: [String]) {
        let (image, states) = try StateImage.sample(seed: seed)
        var (found, refused, failures) = (0, 0, [String]())
        for damage in StateDamage.all(of: image, bits: bits) where isMeant(damage) {
            switch try damage.check(image, states: states, in: { $0.simulated() }) {
            case .found: found += 1
            case .refused: refused += 1
            case .failed(let reason): failures.append("\(damage): \(reason)")
            }
        }
        return (found, refused, failures)
    }

    @Test
    func `S6 a file cut at any byte, or with a tail that was never written, is a beginning or is refused`()
        throws
    {
        let (found, refused, failures) = try outcomes(of: 1, bits: 0..<0) { _ in true }
        #expect(failures == [])
        #expect(found > 500)
        #expect(refused > 0)
    }

    @Test
    func `S7 a bit flipped in any byte of any file is refused, or nothing is missing`() throws {
        let (found, refused, failures) = try outcomes(of: 2, bits: 0..<1) {
            if case .flip = $0 { true } else { false }
        }
        #expect(failures == [])
        #expect(found > 500)
        #expect(refused > 100)
    }

    @Test func `S7 a bit that turns a space in the last record into a NUL is no unfinished write`() throws {
        let (image, states) = try StateImage.sample(seed: 1)
        let name = try #require(image.lastJournal)
        let content = try #require(image.files[name])
        let last = try #require(content.dropLast().lastIndex(of: 0x0A)) + 1
        let spaces = content.indices.dropFirst(last).filter { content[$0] == 0x20 }
        #expect(!spaces.isEmpty)
        for byte in spaces {
            let outcome = try StateDamage.flip(name, byte: byte, bit: 5).check(image, states: states) {
                $0.simulated()
            }
            guard case .refused = outcome else {
                Issue.record("byte \(byte): \(outcome)")
                continue
            }
        }
    }
}
