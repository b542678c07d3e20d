import FerryEngineSimulation
import Foundation
import Testing

/// Runs the values of the engine through random schedules in virtual time.
///
/// The simulation is a separate program, because every process that repeats a schedule must have the same order of
/// dictionaries.
struct EngineSimulationTests {
    @Test func `every invariant holds in 150 schedules`() async throws {
        let run = try await Simulator.run("--schedules", "150", "--seed", "1")
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("150 schedules from seed 1: 0 with violations"), "\(run.output)")
    }

    @Test func `one seed gives the same event log in every process, byte by byte`() async throws {
        let first = try await Simulator.run("--replay", "4711")
        let second = try await Simulator.run("--replay", "4711")
        #expect(first.output == second.output)
        #expect(first.output.contains("seed 4711: "), "\(first.output)")
        let other = try await Simulator.run("--replay", "4712")
        #expect(other.output != first.output)
    }

    @Test(arguments: EngineMutant.allCases)
    func `the simulation notices each mutant`(mutant: EngineMutant) async throws {
        let run = try await Simulator.run("--schedules", "400", "--seed", "1", "--mutant", mutant.rawValue)
        #expect(run.status == 1, "\(mutant) was not noticed: \(run.output)")
        let names = mutant.invariants.map(\.rawValue)
        #expect(names.contains { run.output.contains(": \($0): ") }, "\(run.output)")
    }

    @Test func `the seed of a violation replays it`() async throws {
        let mutant = EngineMutant.rangesAreShifted.rawValue
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

/// Runs the program `engine-simulation`, which is built beside the tests.
private enum Simulator {
    struct Run {
        var status: Int32
        var output: String
    }

    static func run(_ arguments: String...) async throws -> Run {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("engine-simulation")
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
