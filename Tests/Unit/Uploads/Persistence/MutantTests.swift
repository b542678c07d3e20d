import FerryStateSimulation
import Testing

@testable import FerryUploads

/// Tests that a check notices each fault that a mutant adds. `CrashTests` and `DamageTests` run the same checks without
/// a mutant.
struct MutantTests {
    private func isNoticed(
        _ mutant: Mutant, keeping remains: SimulatedDisk.Remains, names: SimulatedDisk.NameRemains
    ) -> Bool {
        let changes = CrashTests.fixed
        return (0..<CrashRun.calls(of: changes, mutant: mutant)).contains { number in
            !CrashRun.survivesPowerCut(
                at: number, of: changes, keeping: remains, names: names, mutant: mutant)
        }
    }

    @Test func `S5 without the sync of the journal a power cut is noticed`() {
        #expect(isNoticed(.noJournalSync, keeping: .nothing, names: .first(4)))
    }

    @Test func `S5 without the sync of the folder a power cut is noticed`() {
        #expect(isNoticed(.noFolderSync, keeping: .everything, names: .first(0)))
    }

    @Test func `S5 a snapshot that is synced after its rename is noticed in a power cut`() {
        #expect(isNoticed(.renameBeforeSync, keeping: .nothing, names: .first(4)))
    }

    @Test func `S7 a reader that takes every checksum to fit is noticed`() throws {
        let (image, states) = try StateImage.sample(seed: 1)
        let isNoticed = try StateDamage.all(of: image, bits: 0..<1).contains { damage in
            let outcome = try damage.check(image, states: states) {
                MutantFiles($0.simulated(), .noChecksum)
            }
            return if case .failed = outcome { true } else { false }
        }
        #expect(isNoticed)
    }
}
