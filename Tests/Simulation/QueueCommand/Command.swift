import FerryQueueSimulation
import Foundation

/// The command line is `queue-simulation [--schedules N] [--seed S] [--mutant NAME]`, or `queue-simulation --replay
/// SEED [--mutant NAME]`.
///
/// The schedules have the seeds S, S + 1, … If a schedule violates an invariant, its seed is printed, and `--replay
/// SEED` prints all its events.
@main
struct Command {
    static func main() {
        repeatHashing()
        var arguments = Arguments(CommandLine.arguments.dropFirst())
        let mutant = arguments.mutant()
        if let seed = arguments.number("--replay") {
            arguments.end()
            replay(seed, mutant)
        }
        let count = arguments.number("--schedules") ?? 1000
        let seed = arguments.number("--seed") ?? UInt64.random(in: 0...UInt64(UInt32.max))
        arguments.end()
        run(count, from: seed, mutant)
    }

    /// Restarts the program with deterministic hashing. The order of dictionaries is a part of a schedule.
    private static func repeatHashing() {
        let name = "SWIFT_DETERMINISTIC_HASHING"
        guard ProcessInfo.processInfo.environment[name] == nil else { return }
        setenv(name, "1", 1)
        var words: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) }
        words.append(nil)
        execv("/proc/self/exe", words)
        fail("cannot start again with \(name)=1")
    }

    private static func replay(_ seed: UInt64, _ mutant: Mutant?) -> Never {
        let report = Schedule.run(seed: seed, mutant: mutant, keepsLines: true)
        say((report.lines ?? []).joined(separator: "\n"))
        say("seed \(seed): \(report.events) events, digest \(String(report.digest, radix: 16))")
        for violation in report.violations { say("\(violation.invariant): \(violation.text)") }
        exit(report.violations.isEmpty ? 0 : 1)
    }

    private static func run(_ count: UInt64, from seed: UInt64, _ mutant: Mutant?) -> Never {
        let start = ContinuousClock.now
        var events = 0
        var lives = 0
        var digest: UInt64 = 0
        var failures = 0
        for index in 0..<count {
            let report = Schedule.run(seed: seed &+ index, mutant: mutant)
            events += report.events
            lives += report.lives
            digest = digest &* 31 &+ report.digest
            if let first = report.violations.first {
                failures += 1
                say("seed \(seed &+ index): \(first.invariant): \(first.text)")
                if failures == 20 || mutant != nil {
                    finish(index + 1, seed, events, lives, failures, digest, since: start)
                }
            }
            if index % 50_000 == 49_999 { note("\(index + 1) schedules, \(failures) with violations\n") }
        }
        finish(count, seed, events, lives, failures, digest, since: start)
    }

    private static func finish(
        _ count: UInt64, _ seed: UInt64, _ events: Int, _ lives: Int, _ failures: Int, _ digest: UInt64,
        since start: ContinuousClock.Instant
    ) -> Never {
        say(
            "\(count) schedules from seed \(seed): \(failures) with violations, \(lives) lives, \(events) events, "
                + "digest \(String(digest, radix: 16))")
        note("\(start.duration(to: .now))\n")
        exit(failures == 0 ? 0 : 1)
    }

    /// Writes a line at once, without a buffer, because another process waits for the next violation.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Writes text that differs between two runs of one seed. It goes to standard error.
    private static func note(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

    static func fail(_ text: String) -> Never {
        note("queue-simulation: \(text)\n")
        exit(2)
    }
}

/// The words of the command line. Each option that is read is removed.
private struct Arguments {
    private var words: [String]

    init(_ words: some Sequence<String>) { self.words = Array(words) }

    mutating func word(_ option: String) -> String? {
        guard let index = words.firstIndex(of: option) else { return nil }
        guard index + 1 < words.count else { Command.fail("\(option) needs a value") }
        defer { words.removeSubrange(index...index + 1) }
        return words[index + 1]
    }

    mutating func number(_ option: String) -> UInt64? {
        guard let word = word(option) else { return nil }
        guard let number = UInt64(word) else { Command.fail("\(option) needs a number") }
        return number
    }

    mutating func mutant() -> Mutant? {
        guard let name = word("--mutant") else { return nil }
        guard let mutant = Mutant(rawValue: name) else {
            Command.fail("mutants are \(Mutant.allCases.map(\.rawValue).joined(separator: " "))")
        }
        return mutant
    }

    func end() {
        if let first = words.first { Command.fail("\(first) is not known") }
    }
}
