import FerryEngineSimulation
import Foundation

/// Runs many schedules one after another and sums up their reports.
struct Campaign {
    /// The number of violations after which the campaign ends.
    private static let enough = 20

    let first: UInt64
    let mutant: EngineMutant?
    private var schedules = 0
    private var failures = 0
    private var events = 0
    private var lives = 0
    private var done = 0
    private var hours = 0.0
    private var busyHours = 0.0
    private var digest: UInt64 = 0

    init(first: UInt64, mutant: EngineMutant?) {
        self.first = first
        self.mutant = mutant
    }

    var isClean: Bool { failures == 0 }

    mutating func run(_ count: UInt64) {
        let start = clock()
        for index in 0..<count {
            add(Simulation.run(seed: first &+ index, mutant: mutant))
            if failures == Self.enough || mutant != nil && failures > 0 { break }
        }
        say(
            "\(schedules) schedules from seed \(first): \(failures) with violations, \(lives) lives, "
                + "\(events) events, \(done) uploads done, digest \(String(digest, radix: 16))")
        say(
            "\(Int(hours)) hours of virtual time, \(Int(busyHours)) of them with requests under way")
        let seconds = max(0.001, Double(clock() - start) / Double(CLOCKS_PER_SEC))
        note("\(Int(busyHours * 3600 / seconds)) hours with requests under way per hour of one core\n")
    }

    private mutating func add(_ report: EngineReport) {
        schedules += 1
        events += report.events
        lives += report.lives
        done += report.done
        hours += report.seconds / 3600
        busyHours += report.busySeconds / 3600
        digest = digest &* 31 &+ report.digest
        guard let violation = report.violations.first else { return }
        failures += 1
        say("seed \(report.seed): \(violation.invariant.rawValue): \(violation.text)")
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Writes text that differs between two runs of one seed. It goes to standard error.
    private func note(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
