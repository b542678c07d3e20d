import FerryProtocols
import FerryTestSupport
import FerryTransfer
package import FerryUploads

/// A sequence of changes of a queue, numbered from 1. A seed decides them. Each change leads to a state that did not
/// occur before, so a state shows how many changes have happened.
package struct Workload {
    package struct Step: Sendable {
        package var number: Int
        package var changes: [QueueChange]
        package var isDurable: Bool
    }

    private var random: SeededGenerator
    private var number = 0
    private var ids: [Upload.ID] = []
    private var nextID: Upload.ID = 1

    package init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    package mutating func next() -> Step {
        number += 1
        // One in six steps adds or changes several uploads, as `add` with many files does.
        let count = random.isOne(in: 6) ? Int.random(in: 2...5, using: &random) : 1
        var changes = (0..<count).map { _ in change() }
        if random.isOne(in: 8) {
            changes.append(
                .settings(
                    QueueSettings(
                        limits: [
                            .total: .atMost(ByteCount(number)), .destination("é\"\(number)"): .unlimited,
                        ],
                        concurrency: 1 + number % 9)))
        }
        return Step(number: number, changes: changes, isDurable: !random.isOne(in: 4))
    }

    private mutating func change() -> QueueChange {
        let kind = Int.random(in: 0..<10, using: &random)
        if ids.isEmpty || kind < 4 && ids.count < 12 { return add() }
        if kind == 9 { return changeOfRange() }
        let index = Int.random(in: ids.indices, using: &random)
        return kind < 6 || ids.count > 12 ? .remove(ids.remove(at: index)) : .set(upload(ids[index]))
    }

    /// Changes the newest uploads together: their state, which names this step, or their removal.
    private mutating func changeOfRange() -> QueueChange {
        let last = ids[Int.random(in: ids.indices, using: &random)...]
        guard random.isOne(in: 3) else {
            let mark = Date(timeIntervalSince1970: Double(number))
            return .setState(Array(last), .running(attempt: number, since: mark))
        }
        ids.removeLast(last.count)
        return .removeAll(Array(last))
    }

    private mutating func add() -> QueueChange {
        ids.append(nextID)
        nextID += 1
        return .set(upload(nextID - 1))
    }

    private mutating func upload(_ id: Upload.ID) -> Upload {
        // Names that cause trouble: a space, a letter of two bytes, bytes that are not UTF-8.
        let names: [[UInt8]] = [
            Array("/data/a file.bin".utf8), Array("/data/übung.bin".utf8), Array("/data/b@1.bin".utf8),
            [0x2F, 0xFF, 0x20, 0xFE],
        ]
        let states: [Upload.State] = [
            .queued, .paused(.user), .held(UploadFailure(.sourceChanged, "ändert sich")),
        ]
        let resource = UploadResource(url: "https://example.com/files/\(id)", confirmed: ByteCount(number))
        return .make(
            id, rank: Int64(number), path: LocalPath(bytes: names[id % names.count]), size: 1 << 20,
            state: states[Int.random(in: states.indices, using: &random)],
            resource: random.isOne(in: 2) ? resource : nil)
    }
}

/// The expected queue after changes, with its settings.
package struct WorkloadState: Hashable, Sendable {
    package private(set) var uploads: [Upload.ID: Upload] = [:]
    package private(set) var settings = QueueSettings()

    package init() {}

    package init(_ recovered: Recovered) {
        uploads = Dictionary(recovered.uploads.map { ($0.id, $0) }) { first, _ in first }
        settings = recovered.settings
    }

    package mutating func apply(_ changes: [QueueChange]) {
        for change in changes {
            switch change {
            case .set(let upload): settings.nextID = max(settings.nextID, upload.id + 1)
            case .settings(let changed):
                let nextID = max(settings.nextID, changed.nextID)
                settings = changed
                settings.nextID = nextID
            case .setState, .remove, .removeAll: break
            }
            uploads.apply(change)
        }
    }

    /// Returns the states after none, one and so on of the changes of `seed`. The changes in `refused` do not happen.
    package static func states(
        of seed: UInt64, through count: Int, without refused: Set<Int> = []
    ) -> [WorkloadState] {
        var workload = Workload(seed: seed)
        var state = WorkloadState()
        var states = [state]
        for number in stride(from: 1, through: count, by: 1) {
            let step = workload.next()
            if !refused.contains(number) { state.apply(step.changes) }
            states.append(state)
        }
        return states
    }
}
