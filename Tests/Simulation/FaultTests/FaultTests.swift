import FerryStateSimulation
import Foundation
import Testing

@testable import fault_lab

/// Runs short campaigns of the fault laboratory. `Tests/faults` runs long ones.
@Suite(.serialized) struct FaultTests {
    /// Runs a campaign and returns its output. The test fails if the campaign finds anything.
    private func campaign(_ words: String...) throws -> String {
        let child = try Child([Child.laboratory] + words)
        let lines = child.rest()
        let ending = child.wait()
        #expect(ending == .exited(0), "\(lines.joined(separator: "\n"))")
        let summary = lines.last ?? ""
        #expect(summary.contains("0 acknowledged lost, 0 wrong states"), "\(summary)")
        return summary
    }

    @Test func `S1 sixty kills at random moments lose nothing that was acknowledged`() throws {
        #expect(try campaign("kill", "--count", "60", "--seed", "7").contains("60 kills"))
    }

    @Test func `S14 the lock is free the moment its holder was killed`() throws {
        let ground = try Ground(nil, "lock")
        defer { try? FileManager.default.removeItem(atPath: ground.path) }
        let folder = ground.folder("state")
        for life in 0..<5 {
            let child = try Child(
                [
                    Child.laboratory, "write", folder.path, "--seed", "1", "--up-to", "\(life * 1000)",
                    "--count", "1000",
                ])
            var said = Life()
            while said.found == nil, let lines = child.lines(waiting: 30_000) { said.take(lines) }
            #expect(throws: (any Error).self) { try folder.lock() }
            child.signal(SIGKILL)
            _ = child.wait()
            #expect(throws: Never.self) { try folder.lock() }
            #expect(FileManager.default.fileExists(atPath: folder.path + "/lock"))
        }
    }

    @Test(
        .enabled(if: TracedRun.isPossible, "strace is missing or may not trace"),
        arguments: [Scenario.new, .stopped])
    func `S2 a kill at every call of the system while writing loses nothing that was acknowledged`(
        scenario: Scenario
    ) throws {
        let summary = try campaign("syscalls", "--changes", "4", "--scenario", scenario.rawValue)
        #expect(try figure("kills", in: summary) > 50)
    }

    @Test(
        .enabled(if: TracedRun.isPossible, "strace is missing or may not trace"),
        arguments: [Scenario.torn, .damaged])
    func `S4 a kill at every call of the system while recovering changes nothing`(scenario: Scenario) throws {
        let summary = try campaign("syscalls", "--changes", "1", "--scenario", scenario.rawValue)
        #expect(try figure("in start or recovery", in: summary) > 30)
    }

    @Test(
        .enabled(if: TracedRun.isPossible, "strace is missing or may not trace"), arguments: Scenario.allCases
    )
    func `S12 an error at every call of the system refuses cleanly and loses nothing`(scenario: Scenario)
        throws
    {
        let summary = try campaign(
            "errors", "--changes", "3", "--error", "turns", "--scenario", scenario.rawValue)
        #expect(try figure("errors", in: summary) > 50)
    }

    @Test(.enabled(if: TracedRun.isPossible, "strace is missing or may not trace"))
    func `S12 a file is never synced again after a failed sync, and what follows is durable elsewhere`()
        throws
    {
        let ground = try Ground(nil, "sync")
        defer { try? FileManager.default.removeItem(atPath: ground.path) }
        let folder = ground.folder("state")
        let run = TracedRun(folder: folder, seed: 3, isInline: true)
        let log = ground.path + "/log"
        var failed = 0
        let position = try Scenario.stopped.prepare(folder, seed: 3)
        for point in try run.points(from: position) where point.call == "fdatasync" {
            let position = try Scenario.stopped.prepare(folder, seed: 3)
            let inject = "inject=fdatasync:error=EIO:when=\(point.index)"
            let (ending, life) = try run.run(
                ["-y", "-e", "trace=fdatasync", "-e", inject], log: log, from: position)
            #expect(ending == .exited(0) || life.unreadable != nil)
            let syncs = try StraceLog.lines(log).filter { $0.contains("fdatasync(") }
            let place = try #require(syncs.firstIndex { $0.contains("EIO") })
            failed += 1
            let file = try #require(syncs[place].split(separator: "<").last?.split(separator: ">").first)
            #expect(!syncs[(place + 1)...].contains { $0.contains(file) })
            let last = life.unreadable == nil ? position + run.count : position
            let found = folder.check(seed: 3, numbers: last...last, without: life.refused)
            #expect(throws: Never.self) { try found.get() }
        }
        #expect(failed > 3)
    }

    @Test(.enabled(if: TracedRun.isPossible, "strace is missing or may not trace"))
    func `S5 every name is synced before anything is built upon it, and every file is closed to others`()
        throws
    {
        let summary = try campaign("trace", "--changes", "20")
        #expect(try figure("renames", in: summary) > 3)
        #expect(try figure("removals", in: summary) > 0)
    }

    @Test(.enabled(if: TracedRun.isPossible, "strace is missing or may not trace"))
    func `S5 without the sync of the folder the order of the calls is noticed to be wrong`() throws {
        let child = try Child([Child.laboratory, "trace", "--changes", "20", "--mutant", "no-folder-sync"])
        let lines = child.rest()
        #expect(child.wait() == .exited(1))
        #expect(lines.contains { $0.contains("before the folder was synced") })
        for line in lines where line.hasPrefix("FAILED") { removeGround(named: line) }
    }

    @Test(
        .enabled(if: LoopDisk.isPossible, "power cuts need root, loop devices and mkfs of ext4 and xfs"),
        arguments: LoopDisk.Kind.allCases)
    func `S5 ten power cuts on a real file system lose nothing that was durable`(kind: LoopDisk.Kind) throws {
        let summary = try campaign(
            "power", "--count", "10", "--every", "6", "--seed", "3", "--fs", kind.rawValue)
        #expect(summary.contains("10 random cuts"))
        #expect(try figure("directed cuts", in: summary) > 10)
    }

    private func figure(_ name: String, in summary: String) throws -> Int {
        let words = summary.split { ":,;".contains($0) }.first { $0.hasSuffix(" " + name) }
        return try #require(
            words.flatMap { Int($0.split(separator: " ").first ?? "") }, "\(name) in \(summary)")
    }

    /// Removes the files of a campaign that failed on purpose. Only such a campaign keeps its files.
    private func removeGround(named line: String) {
        guard let start = line.range(of: "/", options: .backwards) else { return }
        let path = line[..<start.lowerBound].split(separator: " ").last ?? ""
        guard path.contains("/fault-lab-trace-") else { return }
        try? FileManager.default.removeItem(atPath: String(path))
    }
}
