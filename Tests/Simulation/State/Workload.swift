import FerryProtocols
import FerryTestSupport
import FerryTransfer
package import FerryUploads

/// Changes of a queue, numbered from 1 on and the same for the same seed. Each leads to a state that was never there
/// before, so that a state shows how many of them have happened.
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
        // One in six is a batch of several uploads, as `add` with many files makes it.
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
        let index = Int.random(in: ids.indices, using: &random)
        return kind < 6 || ids.count > 12 ? .remove(ids.remove(at: index)) : .set(upload(ids[index]))
    }

    private mutating func add() -> QueueChange {
        ids.append(nextID)
        nextID += 1
        return .set(upload(nextID - 1))
    }

    private mutating func upload(_ id: Upload.ID) -> Upload {
        // Names with what makes trouble: a space, two bytes for one letter, bytes that are no text.
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

/// The queue that must be there after changes, with its settings.
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
            case .set(let upload):
                uploads[upload.id] = upload
                settings.nextID = max(settings.nextID, upload.id + 1)
            case .remove(let id): uploads[id] = nil
            case .settings(let changed):
                let nextID = max(settings.nextID, changed.nextID)
                settings = changed
                settings.nextID = nextID
            }
        }
    }

    /// The states after none, one and so on of the changes of `seed`, where those in `refused` never happened.
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
