import ArgumentParser
import FerryStateSimulation
import Foundation

struct Syscalls: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "SIGKILL at every call of the system on the queue's files: start, recovery, append, rotation, snapshot."
    )

    @Option(help: "Which changes.") var seed: UInt64 = 1
    @Option(help: "Changes in each run.") var changes = 12
    @Option(help: "What the folder is like at the start; all of them if left out.") var scenario: Scenario?
    @Flag(
        help:
            "With the threads of the real journal too, where the same number may strike elsewhere each time.")
    var threads = false
    @Option(help: "Where the folders are made; the temporary folder if left out.") var folder: String?

    func run() throws {
        let ground = try Ground(folder, "syscalls")
        let tally = Tally("syscalls")
        for isInline in threads ? [true, false] : [true] {
            for scenario in scenario.map({ [$0] }) ?? Scenario.allCases {
                try run(scenario, isInline, ground, tally)
            }
        }
        let fileSystem = Report.fileSystem(of: ground.path)
        ground.finish(tally)
        try tally.finish("seed \(seed), \(fileSystem)")
    }

    private func run(_ scenario: Scenario, _ isInline: Bool, _ ground: Ground, _ tally: Tally) throws {
        let folder = ground.folder("state")
        let run = TracedRun(folder: folder, seed: seed, isInline: isInline, count: changes)
        let points = try run.points(from: try scenario.prepare(folder, seed: seed))
        for point in points {
            let position = try scenario.prepare(folder, seed: seed)
            let (ending, life) = try run.run(
                [
                    "-e", "trace=\(point.call)", "-e",
                    "inject=\(point.call):signal=SIGKILL:when=\(point.index)",
                ],
                from: position)
            tally.add("points")
            if ending == .killed(SIGKILL) { tally.add("kills") }
            if ending == .killed(SIGKILL), life.found == nil { tally.add("in start or recovery") }
            let replay =
                "\(scenario.rawValue), \(point.call) \(point.index), inline \(isInline), --seed \(seed)"
            switch (ending, isInline) {
            case (.killed(SIGKILL), _), (.exited(0), false): break
            default:
                tally.fail("it ended as \(ending) \(life.unreadable ?? "")", isLoss: false, replay: replay)
            }
            let least = max(position, life.acknowledged)
            let result = folder.check(
                seed: seed, numbers: least...(position + changes), damaged: scenario.isDamaged)
            if case .failure(let fault) = result { tally.fail(fault, replay: replay) }
        }
    }
}
