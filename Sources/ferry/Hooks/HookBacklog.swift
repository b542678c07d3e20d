import FerryProtocols
import FerryUploads

/// The events whose hooks have not run yet. The hooks of one upload run one after another, and those of `idle`
/// after the hooks of all earlier events.
struct HookBacklog {
    /// The subject of an event. The hooks of one subject run one after another.
    enum Subject: Hashable {
        case upload(Upload.ID)
        case queue
    }

    struct Entry {
        let number: Int
        let event: QueueEvent
        let name: QueueEvent.Name
        /// The text of the desktop notification; nil if there is none.
        let notification: String?

        var subject: Subject { event.upload.map(Subject.upload) ?? .queue }

        fileprivate var comesAfterAll: Bool { name == .idle }
    }

    private let capacity: Int
    /// The waiting events in sequence, with nil in the place of those that `next` has returned.
    private var waiting: [Entry?] = []
    private var first = 0
    /// The subjects whose hooks run now, with the `number` of the event.
    private var running: [Subject: Int] = [:]
    private var lastNumber = 0
    private(set) var count = 0

    /// - Parameter capacity: The number of waiting events at which `add` refuses further events of uploads. It refuses
    ///   events of the whole queue only at twice this number.
    init(capacity: Int) { self.capacity = capacity }

    var runningCount: Int { running.count }

    /// Adds an event and returns true. If the backlog is full, adds nothing and returns false.
    mutating func add(_ event: QueueEvent, _ name: QueueEvent.Name, notification: String? = nil) -> Bool {
        guard count < (event.upload == nil ? 2 * capacity : capacity) else { return false }
        lastNumber += 1
        waiting.append(Entry(number: lastNumber, event: event, name: name, notification: notification))
        count += 1
        return true
    }

    /// Removes and returns the first event whose hooks can start. They count as running until `finish` is called.
    mutating func next() -> Entry? {
        var held: Set<Subject> = []
        for index in first..<waiting.count {
            guard let entry = waiting[index] else { continue }
            let subject = entry.subject
            guard running[subject] == nil, !held.contains(subject),
                !entry.comesAfterAll || isNext(entry, at: index)
            else {
                held.insert(subject)
                continue
            }
            waiting[index] = nil
            count -= 1
            running[subject] = entry.number
            dropTaken()
            return entry
        }
        return nil
    }

    private func isNext(_ entry: Entry, at index: Int) -> Bool {
        running.values.allSatisfy { $0 > entry.number } && waiting[first..<index].allSatisfy { $0 == nil }
    }

    private mutating func dropTaken() {
        while first < waiting.count, waiting[first] == nil { first += 1 }
        guard first > 64, first > waiting.count / 2 else { return }
        waiting.removeFirst(first)
        first = 0
    }

    mutating func finish(_ entry: Entry) { running[entry.subject] = nil }

    /// Removes all waiting events, and returns their number.
    mutating func clear() -> Int {
        defer { (waiting, first, count) = ([], 0, 0) }
        return count
    }
}

extension HookBacklog.Entry {
    /// The event as a line of JSON, which a hook (a command from the configuration) reads on standard input. The
    /// members have the same names as in the output with `--json`.
    var line: String {
        let name = name.rawValue
        switch event {
        case .upload(let event): return UploadRecordLine(event: name, event.upload).json
        case .idle(let counts):
            let named = counts.map { ($0.key.rawValue, $0.value) }
            return CountsLine(event: name, counts: Dictionary(uniqueKeysWithValues: named)).json
        case .status(.offline(let reason)): return NetworkLine(event: name, reason: reason).json
        case .status(.storage(_, let failure)):
            let text = failure?.summary ?? ""
            return StorageLine(event: name, text: text, hint: failure?.hint).json
        case .status: return NetworkLine(event: name).json
        }
    }
}
