import FerryProtocols
import FerryTransfer

/// The attempts under way, until their tasks report the end, so that an upload never has two attempts at once.
struct RunTable {
    typealias Instant = ContinuousClock.Instant

    struct Run {
        let number: Int
        let host: UploadHost
        let size: ByteCount
        /// `HostGrowth.factor` of the host at the start. The share of a small upload is that much smaller.
        let growth: Int
        let started: Instant
        /// The time when the attempt began, or last requested a journal record of its upload.
        var lastSaved: Instant
        /// The upload resource with which the attempt began; nil once the server has reported its offset.
        var unasked: UploadResource?
        let confirmed: ByteCount
        /// True once `Tries.sent` was updated during this attempt. Without the kernel's count, some of these bytes
        /// possibly never left this machine, so the number at the end replaces it, even if that is lower.
        var hasNotedSent = false

        func timed(_ receipt: Receipt, now: Instant) -> Receipt {
            var receipt = receipt
            receipt.duration = started.duration(to: now) / .seconds(1)
            return receipt
        }
    }

    private(set) var all: [Upload.ID: Run] = [:]
    private var counts: [UploadHost: Int] = [:]
    private var shares: (inSlot: Int, taken: [UploadHost: Int]) = (1, [:])
    private var lastNumber = 0
    /// The number of confirmed bytes of each upload at its last quick retry. The next one requires more.
    private(set) var retriedAtOnce: [Upload.ID: ByteCount] = [:]

    var count: Int { all.count }
    var isEmpty: Bool { all.isEmpty }

    func contains(_ id: Upload.ID) -> Bool { all[id] != nil }
    func count(at host: UploadHost) -> Int { counts[host] ?? 0 }

    /// Returns the running attempt at `id`. Returns nil if it has another number: reports of earlier ones are ignored.
    func run(of id: Upload.ID, number: Int) -> Run? {
        all[id].flatMap { $0.number == number ? $0 : nil }
    }

    mutating func begin(_ upload: Upload, at host: UploadHost, growth: Int, now: Instant) -> Int {
        lastNumber += 1
        let run = Run(
            number: lastNumber, host: host, size: upload.size, growth: growth, started: now, lastSaved: now,
            unasked: upload.resource, confirmed: upload.confirmed)
        all[upload.id] = run
        count(run, by: 1)
        return lastNumber
    }

    private mutating func count(_ run: Run, by difference: Int) {
        let count = (counts[run.host] ?? 0) + difference
        counts[run.host] = count > 0 ? count : nil
        let share = Scheduler.share(of: run, inSlot: shares.inSlot)
        let taken = (shares.taken[run.host] ?? 0) + difference * share
        shares.taken[run.host] = taken > 0 ? taken : nil
    }

    /// Returns the number of shares that the running attempts occupy at each host.
    ///
    /// - Parameter inSlot: The number of small uploads that can share a slot.
    mutating func shares(inSlot: Int) -> [UploadHost: Int] {
        if inSlot != shares.inSlot {
            shares = (inSlot, [:])
            for run in all.values {
                shares.taken[run.host, default: 0] += Scheduler.share(of: run, inSlot: inSlot)
            }
        }
        return shares.taken
    }

    mutating func noteSent(of id: Upload.ID) { all[id]?.hasNotedSent = true }

    mutating func end(_ id: Upload.ID, number: Int) -> Run? {
        guard let run = run(of: id, number: number) else { return nil }
        all[id] = nil
        count(run, by: -1)
        return run
    }

    /// True if the attempt at the upload resumes, and the server has not reported its offset yet.
    func awaitsOffset(_ id: Upload.ID) -> Bool { all[id]?.unasked != nil }

    /// Notes that the server has reported its offset. Returns true for its first report to an attempt that resumes.
    mutating func serverReportedOffset(_ id: Upload.ID) -> Bool {
        guard awaitsOffset(id) else { return false }
        all[id]?.unasked = nil
        return true
    }

    /// Returns true if a record of the upload must be written now, because it must be durable or the last one is a
    /// second old. A skipped record does no harm, because the next attempt asks the server.
    mutating func isRecordDue(_ id: Upload.ID, isDurable: Bool, now: Instant) -> Bool {
        guard let run = all[id], isDurable || now - run.lastSaved >= .seconds(1) else { return false }
        all[id]?.lastSaved = now
        return true
    }

    /// Forgets the last quick retry of an upload that is done or leaves the queue.
    mutating func forget(_ id: Upload.ID) { retriedAtOnce[id] = nil }

    /// Returns the progress that a failed attempt made. `sent` bytes of the file were sent or confirmed at its end.
    mutating func movement(
        of upload: Upload, in run: Run, sent: ByteCount, isLinkFresh: Bool, now: Instant
    ) -> AttemptMovement {
        guard !isLinkFresh else { return .linkIsFresh }
        let seconds = run.started.duration(to: now) / .seconds(1)
        let enough = AttemptMovement.least(ofSize: upload.size)
        guard max(sent, upload.confirmed) - run.confirmed >= enough else { return .none }
        // Without enough newly confirmed bytes, a server that accepts almost nothing per connection would be retried at
        // once, again and again.
        guard upload.tries.network == 0, upload.confirmed - (retriedAtOnce[upload.id] ?? -enough) >= enough
        else { return .moved(seconds: seconds) }
        retriedAtOnce[upload.id] = upload.confirmed
        return .movedOn
    }
}
