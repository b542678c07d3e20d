import ArgumentParser
import FerryStateSimulation
import FerryUploads
import Foundation

struct Bytes: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Every file of a queue cut at every byte, every bit flipped, tails of NULs and of half a letter.")

    @Option(help: "Which changes.") var seed: UInt64 = 1
    @Option(help: "Bits to flip in each byte, in memory.") var bits = 8
    @Option(help: "Bits to flip in each byte, in a real folder.") var realBits = 1
    @Option(help: "A fault of the program.") var mutant: Mutant?
    @Option(help: "Where the folder is made; the temporary folder if left out.") var folder: String?

    func run() throws {
        let tally = Tally("bytes")
        let (image, states) = try StateImage.sample(seed: seed)
        tally.add("bytes", image.files.values.map(\.count).reduce(0, +))
        for damage in StateDamage.all(of: image, bits: 0..<bits) {
            let outcome = try damage.check(image, states: states) { [mutant] image in
                let disk = image.simulated()
                return if let mutant { MutantFiles(disk, mutant) } else { disk }
            }
            note(outcome, damage, tally, "in memory")
        }
        if realBits > 0, mutant == nil {
            let ground = try Ground(folder, "bytes")
            let state = ground.folder("state")
            for damage in StateDamage.all(of: image, bits: 0..<realBits) {
                let outcome = try damage.check(image, states: states) { image in
                    state.remove()
                    let files = try state.open()
                    for (name, content) in image.files { try state.put(content, as: name) }
                    return files
                }
                note(outcome, damage, tally, "on disk")
            }
            ground.finish(tally)
        }
        try tally.finish("seed \(seed), \(bits) bits of each byte in memory, \(realBits) on disk")
    }

    private func note(_ outcome: StateDamage.Outcome, _ damage: StateDamage, _ tally: Tally, _ place: String)
    {
        tally.add("damages \(place)")
        switch outcome {
        case .found: tally.add("found whole or a beginning \(place)")
        case .refused: tally.add("refused unchanged \(place)")
        case .failed(let reason): tally.fail(reason, isLoss: false, replay: "\(damage), --seed \(seed)")
        }
    }
}
