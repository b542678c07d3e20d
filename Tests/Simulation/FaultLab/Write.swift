import ArgumentParser
import Dispatch
import FerryStateSimulation
import FerryTransfer
import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Mutant: ExpressibleByArgument {}

struct Write: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Changes a queue in a folder, and says of each change when it was acknowledged.")

    @Argument(help: "The state folder; made if it is missing.") var folder: String
    @Option(help: "Which changes.") var seed: UInt64
    @Option(help: "The least number of changes the folder must hold at the start.") var after = 0
    @Option(help: "The greatest number of changes it may hold at the start.") var upTo = 0
    @Option(help: "Changes to add.") var count = 20
    @Option(help: "Changes that wait at the same time.") var writers = 4
    @Option(help: "Bytes of changes that make a snapshot due.") var threshold = 1500
    @Flag(help: "On one thread, with the same calls of the system each time.") var inline = false
    @Flag(help: "A last snapshot at the end.") var close = false
    @Option(help: "A fault of the program: \(Mutant.allCases.map(\.rawValue).joined(separator: ", ")).")
    var mutant: Mutant?
    @Option(help: "Stop (SIGSTOP) after so many calls that change the folder; 0 only counts them.")
    var stopAfter: Int?

    func run() throws {
        do throws(JournalError) {
            let directory = try StateDirectory(at: LocalPath(folder))
            let lock = try directory.lock()
            let watched = WatchedFiles(directory.files, stopAfter: stopAfter)
            let files: any StateFiles = if let mutant { MutantFiles(watched, mutant) } else { watched }
            if inline { try writeInline(to: files) } else { try writeTogether(to: files, lock) }
            if stopAfter != nil { Report.say("calls \(watched.count)") }
        } catch {
            Report.say("unreadable \(error.summary)")
            throw ExitCode(4)
        }
    }

    private var options: FileJournal.Options { .make(threshold: threshold) }

    private func position(of recovered: Recovered) -> Int {
        do throws(StateCheck.Fault) {
            let position = try StateCheck.position(
                of: WorkloadState(recovered), in: WorkloadState.states(of: seed, through: max(after, upTo)),
                acknowledged: after)
            Report.say("found \(position)")
            return position
        } catch {
            Report.say("wrong \(error)")
            Report.leave(4)
        }
    }

    private func writeInline(to files: any StateFiles) throws(JournalError) {
        let (store, recovered) = try JournalStore.opened(files, options: options)
        var run = InlineRun(store, seed: seed, after: position(of: recovered))
        run.go(count) { number, outcome in
            switch outcome {
            case .acknowledged(let isDurable): Report.say("\(isDurable ? "durable" : "written") \(number)")
            case .refused(let error): Report.say("refused \(number) \(error.summary)")
            }
        }
        if close { run.close() }
    }

    private func writeTogether(to files: any StateFiles, _ lock: StateLock) throws(JournalError) {
        let journal = FileJournal(files: files, lock: lock, options: options)
        let position = position(of: try journal.load())
        let writers = Writers(journal, seed: seed, after: position, count: count)
        let mustClose = close
        let done = DispatchSemaphore(value: 0)
        Task.detached { [count = self.writers] in
            await withTaskGroup { group in
                for _ in 0..<count { group.addTask { await writers.write() } }
            }
            if mustClose { try? await journal.close() }
            done.signal()
        }
        done.wait()
    }
}

/// Several concurrent callers of one journal. Each appends one change at a time.
private actor Writers {
    private let journal: FileJournal
    private var workload: Workload
    private var left: Int

    init(_ journal: FileJournal, seed: UInt64, after position: Int, count: Int) {
        self.journal = journal
        workload = Workload(seed: seed)
        for _ in 0..<position { _ = workload.next() }
        left = count
    }

    func write() async {
        while left > 0 {
            left -= 1
            // There is no `await` between taking a change and appending it, so the journal gets the changes in order.
            let step = workload.next()
            do throws(JournalError) {
                try await journal.append(step.changes, durably: step.isDurable)
                Report.say("\(step.isDurable ? "durable" : "written") \(step.number)")
            } catch {
                Report.say("refused \(step.number) \(error.summary)")
            }
        }
    }
}
