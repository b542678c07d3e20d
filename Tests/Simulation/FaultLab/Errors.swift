import ArgumentParser
import FerryStateSimulation
import Foundation

struct Errors: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "An error at every call of the system on the queue's files: nothing acknowledged lost, nothing refused there."
    )

    @Option(help: "Which changes.") var seed: UInt64 = 1
    @Option(help: "Changes in each run.") var changes = 12
    @Option(help: "What the folder is like at the start; all of them if left out.") var scenario: Scenario?
    @Option(
        help: "ENOSPC, EIO, EROFS, EMFILE, EDQUOT; all of them if left out, `turns` for one after the other.")
    var error: String?
    @Option(help: "Where the folders are made; the temporary folder if left out.") var folder: String?

    private static let codes = ["ENOSPC", "EIO", "EROFS", "EMFILE", "EDQUOT"]

    func run() throws {
        let ground = try Ground(folder, "errors")
        let tally = Tally("errors")
        for scenario in scenario.map({ [$0] }) ?? Scenario.allCases { try run(scenario, ground, tally) }
        let fileSystem = Report.fileSystem(of: ground.path)
        ground.finish(tally)
        try tally.finish("seed \(seed), \(fileSystem)")
    }

    private func run(_ scenario: Scenario, _ ground: Ground, _ tally: Tally) throws {
        let folder = ground.folder("state")
        let run = TracedRun(folder: folder, seed: seed, isInline: true, count: changes)
        let points = try run.points(from: try scenario.prepare(folder, seed: seed))
        for (number, point) in points.enumerated() {
            let turn = [Self.codes[number % Self.codes.count]]
            for code in error == "turns" ? turn : error.map({ [$0] }) ?? Self.codes {
                // The call fails once. In a second run the call and all later ones fail.
                for when in error == "turns" && number % 2 == 0
                    ? ["\(point.index)"] : ["\(point.index)", "\(point.index)+"]
                {
                    let position = try scenario.prepare(folder, seed: seed)
                    let options = [
                        "-e", "trace=\(point.call)", "-e", "inject=\(point.call):error=\(code):when=\(when)",
                    ]
                    let (ending, life) = try run.run(options, from: position)
                    let replay = "\(scenario.rawValue), \(point.call) \(when) \(code), --seed \(seed)"
                    judge(ending, life, position, scenario, folder, tally, replay)
                }
            }
        }
    }

    private func judge(
        _ ending: Child.Ending, _ life: Life, _ position: Int, _ scenario: Scenario, _ folder: StateFolder,
        _ tally: Tally, _ replay: String
    ) {
        tally.add("errors")
        let last: Int
        switch (ending, life.unreadable) {
        case (.exited(0), nil):
            tally.add(life.refused.isEmpty ? "made no difference" : "refused changes")
            last = position + changes
        case (.exited(4), .some):
            tally.add("refused to start")
            last = position
        default: return tally.fail("it ended as \(ending) \(life.wrong ?? "")", isLoss: false, replay: replay)
        }
        let result = folder.check(
            seed: seed, numbers: last...last, without: life.refused, damaged: scenario.isDamaged)
        if case .failure(let fault) = result { tally.fail(fault, replay: replay) }
    }
}
