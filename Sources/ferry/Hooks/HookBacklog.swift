import FerryTUI
import FerryUploads

/// The events whose commands are to be run, in the order in which they may begin: what happens to one upload is told in
/// order, and that nothing is left to do when all before it has been told.
struct HookBacklog {
    /// What must not be told at the same time.
    enum Subject: Hashable {
        case upload(Upload.ID)
        case queue
    }

    struct Entry {
        let number: Int
        let event: QueueEvent
        /// What the desktop is to be told besides.
        let call: String?

        var subject: Subject { event.upload.map(Subject.upload) ?? .queue }

        fileprivate var comesAfterAll: Bool {
            if case .idle = event { true } else { false }
        }
    }

    private let capacity: Int
    /// The first of them are there no more.
    private var waiting: [Entry?] = []
    private var first = 0
    private var running: [Subject: Int] = [:]
    private var lastNumber = 0
    private(set) var count = 0

    /// - Parameter capacity: Events of uploads that may wait; of those of the queue, of which there are few, as many more.
    init(capacity: Int) { self.capacity = capacity }

    var runningCount: Int { running.count }

    /// - Returns: False if there is no room for it.
    mutating func add(_ event: QueueEvent, call: String? = nil) -> Bool {
        guard count < (event.upload == nil ? 2 * capacity : capacity) else { return false }
        lastNumber += 1
        waiting.append(Entry(number: lastNumber, event: event, call: call))
        count += 1
        return true
    }

    /// Takes out what may begin now.
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

    /// Forgets what has not begun.
    ///
    /// - Returns: How many events that were.
    mutating func clear() -> Int {
        defer { (waiting, first, count) = ([], 0, 0) }
        return count
    }
}
