import ArgumentParser
import FerryEngineSimulation
import Foundation

/// Runs schedules of the engine in virtual time. The schedules have the seeds S, S + 1, …
@main
struct EngineSimulation: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "engine-simulation",
        abstract: "Runs the values of the engine in virtual time, from seeds.",
        discussion: """
            A seed whose schedule violates an invariant is printed with the invariant's name. --replay with it prints \
            everything that happened.
            """)

    @Option(help: "The number of schedules.")
    var schedules: UInt64 = 1000

    @Option(help: "The seed of the first schedule; drawn if it is left out.")
    var seed: UInt64?

    @Option(help: "The seed of one schedule whose events are printed.")
    var replay: UInt64?

    @Option(
        help:
            "A fault to put around the values: \(EngineMutant.allCases.map(\.rawValue).joined(separator: ", "))."
    )
    var mutant: EngineMutant?

    func run() throws {
        try repeatHashing()
        if let replay { return try replaySchedule(replay) }
        var campaign = Campaign(first: seed ?? UInt64.random(in: 0...UInt64(UInt32.max)), mutant: mutant)
        campaign.run(schedules)
        if !campaign.isClean { throw ExitCode(1) }
    }

    /// Restarts the program with deterministic hashing. The order of dictionaries is a part of a schedule.
    private func repeatHashing() throws {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        guard ProcessInfo.processInfo.environment[name] == nil else { return }
        setenv(name, "1", 1)
        var words: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
        words.append(nil)
        execv("/proc/self/exe", words)
        throw ValidationError("cannot start again with \(name)=1")
    }

    private func replaySchedule(_ seed: UInt64) throws {
        let report = Simulation.run(seed: seed, mutant: mutant, keepsLines: true)
        print((report.lines ?? []).joined(separator: "\n"))
        print("seed \(seed): \(report.events) events, digest \(String(report.digest, radix: 16))")
        for violation in report.violations { print("\(violation.invariant.rawValue): \(violation.text)") }
        if !report.violations.isEmpty { throw ExitCode(1) }
    }
}

extension EngineMutant: ExpressibleByArgument {}
