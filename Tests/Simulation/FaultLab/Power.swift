import ArgumentParser
import FerryStateSimulation
import FerryTestSupport
import FerryUploads
import Foundation

extension LoopDisk.Kind: ExpressibleByArgument {}

struct Power: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Power cuts of file systems in a file, at random moments and right after each change of the folder.",
        discussion: """
            Needs root and loop devices. The mounts are made in a namespace of their own, and end with the command.
            A power cut is a forced shutdown of the file system without a flush of its log: it is no test of drives that
            say they have written what they have not.
            """)

    @Option(help: "Random cuts on each file system.") var count = 100
    @Option(help: "What is random.") var seed: UInt64 = 1
    @Option(help: "File systems, with commas.") var fs = "ext4,xfs"
    @Flag(inversion: .prefixedNo, help: "Cut once right after each change of the folder too.") var directed =
        true
    @Option(help: "Of the directed cuts, one in so many.") var every = 1
    @Option(help: "A fault of the program.") var mutant: Mutant?
    @Option(help: "Where the images are made; the temporary folder if left out.") var folder: String?

    func run() throws {
        guard geteuid() == 0 else { throw ValidationError("power cuts need root") }
        guard ProcessInfo.processInfo.environment["FAULT_LAB_MOUNTS"] != nil else { return try runApart() }
        let ground = try Ground(folder, "power")
        var isFailed = false
        let kinds = fs.split(separator: ",").compactMap { LoopDisk.Kind(rawValue: String($0)) }
        guard !kinds.isEmpty else { throw ValidationError("no such file system: \(fs)") }
        for kind in kinds {
            let tally = Tally("power")
            do {
                var cuts = PowerCuts(
                    disk: try LoopDisk(kind, in: ground.path), ground: ground, tally: tally, mutant: mutant,
                    seed: seed)
                if count > 0 { try cuts.random(count) }
                if directed { try cuts.directed(every: every) }
            }
            tally.summarize("seed \(seed), \(kind.rawValue)")
            isFailed = isFailed || tally.failures > 0
        }
        if isFailed { throw ExitCode(1) }
        try FileManager.default.removeItem(atPath: ground.path)
    }

    /// Runs this command again in a mount namespace of its own, so that its mounts disappear when it ends.
    private func runApart() throws {
        let words = ["env", "FAULT_LAB_MOUNTS=own", "unshare", "--mount", "--propagation", "private"]
        let child = try Child(words + [Child.laboratory] + CommandLine.arguments.dropFirst())
        while let lines = child.lines(waiting: -1) { for line in lines { Report.say(line) } }
        guard child.wait() == .exited(0) else { throw ExitCode(1) }
    }
}

/// The power cuts of one disk.
private struct PowerCuts {
    let disk: LoopDisk
    let ground: Ground
    let tally: Tally
    let mutant: Mutant?
    let seed: UInt64

    private func write(
        _ folder: StateFolder, _ queue: UInt64, _ position: Int, _ count: Int, _ more: [String]
    ) throws -> Child {
        var words = [Child.laboratory, "write", folder.path, "--seed", "\(queue)", "--after", "\(position)"]
        words += ["--up-to", "\(position)", "--count", "\(count)"] + more
        if let mutant { words += ["--mutant", mutant.rawValue] }
        return try Child(words)
    }

    /// Checks a copy of the state folder, and returns the number of changes in it; nil if the check failed. The next
    /// life uses the original.
    private func check(
        _ folder: StateFolder, _ queue: UInt64, _ numbers: ClosedRange<Int>, _ replay: String
    ) throws -> Int? {
        guard folder.exists else {
            guard numbers.lowerBound > 0 else { return 0 }
            tally.fail(.lost(found: 0, acknowledged: numbers.lowerBound), replay: replay)
            return nil
        }
        let copy = try folder.copy(to: ground.path + "/copy")
        switch copy.check(seed: queue, numbers: numbers, mutant: mutant) {
        case .success(let finding):
            if finding.position > numbers.lowerBound { tally.add("kept more than acknowledged") }
            for case .tornTail in finding.notices { tally.add("torn tails") }
            copy.remove()
            return finding.position
        case .failure(let fault):
            let kept = ground.path + "/failed-\(disk.kind.rawValue)-\(tally.failures)"
            _ = try folder.copy(to: kept)
            tally.fail(fault, replay: "\(replay), queue \(queue), changes \(numbers), \(kept)")
            return nil
        }
    }

    mutating func random(_ cuts: Int) throws {
        var random = SeededGenerator(seed: seed &* 1000 &+ (disk.kind == .xfs ? 1 : 0))
        var life = 0
        var (queue, position): (UInt64, Int) = (0, 0)
        var folder = StateFolder(path: disk.path + "/state")
        for cut in 0..<cuts {
            if life == 0 {
                folder.remove()
                (queue, position) = (random.next() >> 16, 0)
                folder = StateFolder(path: disk.path + "/state-\(queue)")
            }
            let count = Int.random(in: 5...40, using: &random)
            let more = ["--threshold", "\([500, 1500, 6000][Int.random(in: 0..<3, using: &random)])"]
            let child = try write(folder, queue, position, count, more)
            // Only acknowledgements read before the cut count. A sync under way at the cut may still succeed.
            let said = wait(for: child, count, &random)
            if random.isOne(in: 3) { try disk.syncOther() }
            try disk.cutPower()
            child.signal(SIGKILL)
            _ = child.rest()
            _ = child.wait()
            try disk.restart()
            tally.add("random cuts")
            if said.found == nil { tally.add("in start or recovery") }
            let replay = "cut \(cut), --seed \(seed) --fs \(disk.kind.rawValue)"
            let least = max(position, said.durable)
            guard let found = try check(folder, queue, least...(position + count), replay) else {
                if tally.failures >= 10 { return }
                life = 0
                continue
            }
            position = found
            life = (life + 1) % 12
        }
        folder.remove()
    }

    private func wait(for child: Child, _ changes: Int, _ random: inout SeededGenerator) -> Life {
        var said = Life()
        if random.isOne(in: 5) {
            usleep(UInt32.random(in: 0...40_000, using: &random))
            said.take(child.lines(waiting: 0) ?? [])
            return said
        }
        let target = Int.random(in: 0...changes, using: &random)
        var seen = 0
        while seen <= target, let lines = child.lines(waiting: 10_000), !lines.isEmpty {
            seen += lines.count
            said.take(lines)
        }
        usleep(UInt32.random(in: 0...1500, using: &random))
        return said
    }

    /// Stops the program after each call that changes the folder, and cuts the power there. A second run syncs another
    /// file before the cut.
    func directed(every: Int) throws {
        let changes = 14
        let folder = StateFolder(path: disk.path + "/state")
        let counting = try write(folder, seed, 0, changes, ["--inline", "--stop-after", "0"])
        var counted = Life()
        counted.take(counting.rest())
        guard counting.wait() == .exited(0), counted.calls > 0 else {
            return tally.fail("the calls cannot be counted", isLoss: false, replay: "--seed \(seed)")
        }
        for number in stride(from: 1, through: counted.calls, by: max(1, every)) {
            for isOther in [false, true] where tally.failures < 10 {
                folder.remove()
                // The removal is synced, or a cut would restore the folder.
                try disk.syncOther()
                let child = try write(folder, seed, 0, changes, ["--inline", "--stop-after", "\(number)"])
                var said = Life()
                guard child.wait(orStop: true) == .stopped else {
                    tally.fail("call \(number) was not reached", isLoss: false, replay: "--seed \(seed)")
                    continue
                }
                while let lines = child.lines(waiting: 0), !lines.isEmpty { said.take(lines) }
                if isOther { try disk.syncOther() }
                try disk.cutPower()
                child.signal(SIGKILL)
                _ = child.rest()
                _ = child.wait()
                try disk.restart()
                tally.add("directed cuts")
                let replay =
                    "after call \(number), other sync \(isOther), --seed \(seed) --fs \(disk.kind.rawValue)"
                _ = try check(folder, seed, said.durable...changes, replay)
            }
        }
    }
}
