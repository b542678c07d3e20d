import ArgumentParser
import FerryStateSimulation
import Foundation

struct Trace: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "The calls of the system of a run: what must be synced before what, and the mode of every file.")

    @Option(help: "Which changes.") var seed: UInt64 = 1
    @Option(help: "Changes in each run.") var changes = 40
    @Option(help: "A fault of the program.") var mutant: Mutant?
    @Option(help: "Where the folders are made; the temporary folder if left out.") var folder: String?

    func run() throws {
        let ground = try Ground(folder, "trace")
        let tally = Tally("trace")
        for scenario in Scenario.allCases {
            let state = ground.folder(scenario.rawValue)
            let position = try scenario.prepare(state, seed: seed)
            var run = TracedRun(folder: state, seed: seed, isInline: true, count: changes)
            run.mutant = mutant
            let log = ground.path + "/" + scenario.rawValue + ".log"
            let calls = TracedRun.calls + ["writev", "mkdirat", "fchmod", "fchmodat"]
            _ = try run.run(
                ["-y", "-s", "4096", "-e", "trace=" + calls.joined(separator: ",")], log: log, from: position)
            var order = CallOrder(folder: state.path)
            for line in try StraceLog.lines(log) { order.take(line) }
            for (name, value) in order.counts.sorted(by: { $0.key < $1.key }) { tally.add(name, value) }
            for fault in order.faults {
                tally.fail(fault, isLoss: false, replay: "\(scenario.rawValue), --seed \(seed), \(log)")
            }
            // Changes that need not be durable are acknowledged as `written`, which is not counted.
            if order.counts["acknowledgements", default: 0] < changes / 2 {
                tally.fail("too few acknowledgements", isLoss: false, replay: "\(scenario.rawValue), \(log)")
            }
        }
        let fileSystem = Report.fileSystem(of: ground.path)
        ground.finish(tally)
        try tally.finish("seed \(seed), \(fileSystem)")
    }
}
