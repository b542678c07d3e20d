import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation

@testable import FerryUploads

extension QueueCoreTests {
    /// The core, with the effects that it returned last.
    struct Driven {
        var core: QueueCore
        var effects: [CoreEffect] = []
        var seconds = 0.0

        init(
            _ uploads: [Upload], concurrency: Int = 4, smallUploadsPerSlot: Int = 1,
            fewestInRanges: Int = 1000
        ) {
            core = QueueCore(
                configuration: .init(concurrency: concurrency, smallUploadsPerSlot: smallUploadsPerSlot),
                lookups: lookups(fewestInRanges: fewestInRanges),
                limits: LimitSchedule(zone: .local), now: moment(0))
            var recovered = Recovered(uploads: uploads, settings: QueueSettings())
            recovered.settings.nextID = (uploads.map(\.id).max() ?? 0) + 1
            _ = core.restore(&recovered, at: moment(0))
            handle(.started(awaitsLink: false))
        }

        mutating func handle(_ event: CoreEvent) {
            effects = core.handle(event, at: moment(seconds))
        }

        /// Completes every append of the last event with this result.
        mutating func answer(_ result: Result<Void, JournalError> = .success(())) {
            let tickets = appends.map(\.ticket)
            effects = tickets.flatMap {
                core.handle(.journaled([($0, result)]), at: moment(seconds))
            }
        }

        mutating func end(_ id: Upload.ID, _ outcome: UploadAttempt.Outcome, sent: ByteCount = 0) {
            handle(.attempt(id, run: id, .ended(Redacted(outcome), file: nil, sent: sent), 99))
        }

        var appends: [(changes: [QueueChange], durability: Durability, ticket: Ticket)] {
            effects.compactMap {
                if case .append(let changes, let durability, let ticket) = $0 {
                    (changes, durability, ticket)
                } else {
                    nil
                }
            }
        }

        var started: [Upload.ID] {
            effects.compactMap { if case .start(let upload, _) = $0 { upload.id } else { nil } }
        }

        var cancelled: [Upload.ID] {
            effects.compactMap { if case .cancel(let id) = $0 { id } else { nil } }
        }

        /// The ids in the reply to the transaction; nil if it was refused or has no reply yet.
        var responded: [Upload.ID]? {
            for case .reply(_, .success(let result)) in effects { return result.ids }
            return nil
        }

        var wakes: [ContinuousClock.Instant] {
            effects.compactMap { if case .wake(let instant?) = $0 { instant } else { nil } }
        }

        var probes: [(host: UploadHost, number: Int)] {
            effects.compactMap { if case .probe(let host, let number) = $0 { (host, number) } else { nil } }
        }

        var measuresRoundTrip: UploadHost? {
            for case .measureRoundTrip(let host) in effects { return host }
            return nil
        }

        var isPublished: Bool {
            effects.contains { if case .publish = $0 { true } else { false } }
        }

        var isRefused: Bool {
            effects.contains { if case .reply(_, .failure) = $0 { true } else { false } }
        }

        /// The changes of the last record.
        var changes: [QueueChange] { appends.last?.changes ?? [] }

        func state(_ id: Upload.ID) -> Upload.State? {
            core.uploads[id].map { core.shown($0, at: moment(seconds)).state }
        }
    }
}
