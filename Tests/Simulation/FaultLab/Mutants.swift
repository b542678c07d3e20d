import ArgumentParser
import FerryStateSimulation
import Foundation

struct Mutants: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Faults of the program: which campaigns notice them. Fails if one is not noticed.")

    @Option(help: "What is random.") var seed: UInt64 = 1
    @Option(help: "Random power cuts for each, on each file system.") var count = 40
    @Option(help: "Where the folders are made; the temporary folder if left out.") var folder: String?

    func run() throws {
        var missed: [String] = []
        for mutant in Mutant.allCases {
            var notices: [String] = []
            for campaign in campaigns {
                let words =
                    [Child.laboratory] + campaign + ["--seed", "\(seed)", "--mutant", mutant.rawValue]
                let child = try Child(words + (folder.map { ["--folder", $0] } ?? []))
                let failures = child.rest().count { $0.hasPrefix("FAILED") }
                _ = child.wait()
                let name = campaign.joined(separator: " ")
                notices.append("\(name): \(failures == 0 ? "not noticed" : "noticed (\(failures))")")
                if failures > 0 { notices[notices.count - 1] += " ✓" }
            }
            Report.say("mutant \(mutant.rawValue): " + notices.joined(separator: "; "))
            if !notices.contains(where: { $0.hasSuffix("✓") }) { missed.append(mutant.rawValue) }
        }
        let summary = missed.isEmpty ? "each noticed" : "not noticed: \(missed.joined(separator: ", "))"
        Report.say("mutants: \(Mutant.allCases.count), \(summary); seed \(seed), kernel \(Report.kernel)")
        if !missed.isEmpty { throw ExitCode(1) }
    }

    private var campaigns: [[String]] {
        var campaigns = [["bytes", "--bits", "2"], ["trace"]]
        for kind in LoopDisk.Kind.allCases where LoopDisk.isPossible {
            campaigns.append(["power", "--fs", kind.rawValue, "--count", "\(count)"])
        }
        return campaigns
    }
}
