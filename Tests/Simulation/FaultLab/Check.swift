import ArgumentParser
import FerryStateSimulation
import FerryUploads

struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Recovers a folder twice, and says after how many of the changes it is.")

    @Argument(help: "The state folder.") var folder: String
    @Option(help: "Which changes.") var seed: UInt64
    @Option(help: "The last change that was acknowledged.") var after = 0
    @Option(help: "The last change that was asked for.") var upTo: Int
    @Option(help: "A fault of the program: \(Mutant.allCases.map(\.rawValue).joined(separator: ", ")).")
    var mutant: Mutant?

    func run() throws {
        switch StateFolder(path: folder).check(seed: seed, numbers: after...max(after, upTo), mutant: mutant)
        {
        case .success(let finding):
            Report.say("found \(finding.position)")
            for notice in finding.notices { Report.say("notice \(notice.summary)") }
        case .failure(let fault):
            Report.say("wrong \(fault)")
            throw ExitCode(1)
        }
    }
}
