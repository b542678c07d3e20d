import FerryQueueSimulation
import Foundation
import Testing

/// Runs the real queue and the real journal store through random schedules of users, network, servers, disk and
/// crashes.
///
/// The simulation is a separate program, because every process that repeats a schedule must have the same order of
/// dictionaries.
struct QueueSimulationTests {
    @Test func `I1 to I12 and I16 hold in 250 schedules, each of several lives`() async throws {
        let run = try await Simulator.run("--schedules", "250", "--seed", "1")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("250 schedules from seed 1: 0 with violations"), "\(run.output)")
    }

    @Test func `I17 one seed gives the same events in every process`() async throws {
        let first = try await Simulator.run("--replay", "4711")
        let second = try await Simulator.run("--replay", "4711")
        #expect(first.output == second.output)
        #expect(first.output.contains("seed 4711: "), "\(first.output)")
        let other = try await Simulator.run("--replay", "4712")
        #expect(other.output != first.output)
    }

    /// The seed decides which invariant a mutant violates first. It must be one of these.
    @Test(arguments: [
        (Mutant.appendsAreNotSynced, ["I1", "I2"]), (.doneIsNotSynced, ["I1", "I2"]),
        (.foldersAreNotSynced, ["I1", "I2", "I4"]), (.recordsAreDropped, ["I1", "I2", "I4", "I5"]),
        (.markIsDropped, ["I10"]), (.addressIsLate, ["I1"]),
        (.senderGoesOn, ["I7", "I10", "I11", "I12"]),
        (.retryAfterIsDropped, ["I12"]), (.sleepersAreForgotten, ["I16"]), (.doneIsEarly, ["I9"]),
        (.offsetsAreExaggerated, ["I8"]), (.changesAreOverlooked, ["I9"]),
    ])
    func `the simulator finds what is put wrong`(mutant: Mutant, invariants: [String]) async throws {
        let run = try await Simulator.run("--schedules", "400", "--seed", "1", "--mutant", mutant.rawValue)
        #expect(run.status == 1, "\(mutant) was not found: \(run.output)")
        #expect(invariants.contains { run.output.contains(": \($0): ") }, "\(run.output)")
    }

    @Test func `the seed of a violation replays it`() async throws {
        let mutant = Mutant.senderGoesOn.rawValue
        let found = try await Simulator.run("--schedules", "400", "--seed", "1", "--mutant", mutant)
        let words = try #require(found.output.split(separator: "\n").first).split(
            separator: ": ", maxSplits: 1)
        let seed = try #require(words.first?.split(separator: " ").last.map(String.init))
        let violation = try #require(words.last.map(String.init))
        let replay = try await Simulator.run("--replay", seed, "--mutant", mutant)
        #expect(replay.status == 1)
        #expect(replay.output.contains("\n\(violation)\n"), "\(replay.output.suffix(300))")
    }
}

/// Runs the program `queue-simulation`, which is built beside the tests.
private enum Simulator {
    struct Run {
        var status: Int32
        var output: String
    }

    static func run(_ arguments: String...) async throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("queue-simulation")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
                        process.waitUntilExit()
                        return Run(
                            status: process.terminationStatus, output: String(decoding: output, as: UTF8.self)
                        )
                    })
            }
        }
    }
}
