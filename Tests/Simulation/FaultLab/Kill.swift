import ArgumentParser
import FerryStateSimulation
import FerryTestSupport
import FerryUploads
import Foundation

struct Kill: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "SIGKILL at random moments, many lives of each queue.")

    @Option(help: "Kills.") var count = 1000
    @Option(help: "What is random.") var seed: UInt64 = 1
    @Option(help: "Queues at the same time.") var lanes = 2
    @Option(help: "Where the folders are made; the temporary folder if left out.") var folder: String?

    func run() throws {
        let ground = try Ground(folder, "kill")
        let tally = Tally("kill")
        let threads = DispatchGroup()
        for lane in 0..<lanes {
            threads.enter()
            Thread.detachNewThread {
                defer { threads.leave() }
                let share = count / lanes + (lane < count % lanes ? 1 : 0)
                var kills = KillLane(ground: ground, tally: tally, lane: lane, seed: seed)
                do { try kills.run(share) } catch {
                    tally.fail("\(error)", isLoss: false, replay: "--seed \(seed)")
                }
            }
        }
        threads.wait()
        let fileSystem = Report.fileSystem(of: ground.path)
        ground.finish(tally)
        try tally.finish("seed \(seed), \(lanes) lanes, \(fileSystem)")
    }
}

/// Tests one queue after another on a thread of its own. Each queue goes through several lives.
private struct KillLane {
    let ground: Ground
    let tally: Tally
    let lane: Int
    let seed: UInt64
    /// The average time in milliseconds until the first output of a life.
    var start = 30.0

    mutating func run(_ kills: Int) throws {
        var random = SeededGenerator(seed: seed &* 1000 &+ UInt64(lane))
        var left = kills
        var number = 0
        while left > 0, tally.failures < 10 {
            let queue = random.next() >> 16
            let folder = ground.folder("queue-\(lane)-\(number)")
            number += 1
            let before = tally.failures
            try lives(of: folder, queue, &left, &random)
            if tally.failures == before { folder.remove() }
        }
    }

    private mutating func lives(
        of folder: StateFolder, _ queue: UInt64, _ left: inout Int, _ random: inout SeededGenerator
    ) throws {
        tally.add("queues")
        var least = 0
        var most = 0
        for life in 0..<25 where left > 0 {
            let count = Int.random(in: 5...40, using: &random)
            let child = try Child(
                [
                    Child.laboratory, "write", folder.path, "--seed", "\(queue)", "--after", "\(least)",
                    "--up-to",
                    "\(most)", "--count", "\(count)", "--writers", "\(Int.random(in: 1...6, using: &random))",
                    "--threshold", "\([500, 1500, 6000][Int.random(in: 0..<3, using: &random)])",
                ] + (random.isOne(in: 2) ? ["--close"] : []))
            let (ending, said) = end(child, changes: count, &random)
            if ending == .killed(SIGKILL) {
                left -= 1
                tally.add("kills")
            } else {
                tally.add("ended before")
            }
            let replay =
                "queue \(queue), life \(life), --seed \(seed) --lanes of lane \(lane), \(folder.path)"
            if let reason = said.wrong ?? said.unreadable {
                return tally.fail("the next life: \(reason)", isLoss: true, replay: replay)
            }
            let acknowledged = max(least, said.acknowledged)
            if !folder.exists, acknowledged == 0 { continue }
            // The check recovers a copy. The next life recovers the real files.
            let copy = try folder.copy(to: folder.path + ".copy")
            defer { copy.remove() }
            do { _ = try folder.lock() } catch {
                return tally.fail("the lock is not free: \(error.summary)", isLoss: false, replay: replay)
            }
            switch copy.check(seed: queue, numbers: acknowledged...(max(most, acknowledged) + count)) {
            case .success(let finding):
                note(finding, acknowledged, said)
                (least, most) = (finding.position, finding.position)
            case .failure(let fault): return tally.fail(fault, replay: replay)
            }
        }
    }

    private func note(_ finding: StateCheck.Finding, _ acknowledged: Int, _ said: Life) {
        if said.found == nil { tally.add("in start or recovery") }
        if finding.position > acknowledged { tally.add("kept more than acknowledged") }
        for case .tornTail in finding.notices { tally.add("torn tails") }
    }

    /// Kills the child after a random time, which begins at its start or at the acknowledgement of a random change.
    private mutating func end(_ child: Child, changes: Int, _ random: inout SeededGenerator) -> (
        Child.Ending, Life
    ) {
        var said = Life()
        let began = ContinuousClock.now
        let elapsed = { () -> Double in (ContinuousClock.now - began) / .milliseconds(1) }
        if random.isOne(in: 3) {
            usleep(UInt32(1000 * Double.random(in: 0...(1.5 * start), using: &random)))
        } else {
            let target = Int.random(in: 0..<changes, using: &random)
            var seen = 0
            while seen <= target, elapsed() < 10_000, let lines = child.lines(waiting: 1000) {
                if seen == 0, !lines.isEmpty { start = 0.8 * start + 0.2 * elapsed() }
                seen += lines.count
                said.take(lines)
            }
            usleep(UInt32.random(in: 0...1500, using: &random))
        }
        child.signal(SIGKILL)
        said.take(child.rest())
        return (child.wait(), said)
    }
}
