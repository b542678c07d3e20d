import FerryUploads
import Foundation
import HeapModule

/// The virtual clock in milliseconds, and the planned events. Events of the same time come in the order in which they
/// were planned.
struct Timeline<Event> {
    private struct Entry: Comparable {
        var time: Int64
        var number: Int
        var event: Event

        static func == (left: Entry, right: Entry) -> Bool { left.number == right.number }
        static func < (left: Entry, right: Entry) -> Bool {
            (left.time, left.number) < (right.time, right.number)
        }
    }

    private var heap = Heap<Entry>()
    private var lastNumber = 0
    private(set) var now: Int64 = 0

    /// Plans an event. A negative delay counts as 0.
    mutating func plan(_ event: Event, after milliseconds: Int64) {
        lastNumber += 1
        heap.insert(Entry(time: now + max(0, milliseconds), number: lastNumber, event: event))
    }

    /// Removes the next event, sets the clock to its time and returns it; nil if none is planned.
    mutating func next() -> Event? {
        guard let entry = heap.popMin() else { return nil }
        now = entry.time
        return entry.event
    }
}

/// The clocks of the simulated machine.
enum VirtualTime {
    private static let start = ContinuousClock.now
    private static let firstDate = 1_800_000_000.0

    /// Returns the simulated time as the queue sees it.
    ///
    /// - Parameter jump: The number of seconds by which users have moved the wall clock.
    static func moment(_ milliseconds: Int64, jump: Double) -> Moment {
        Moment(
            instant: start.advanced(by: .milliseconds(milliseconds)),
            date: Date(timeIntervalSince1970: firstDate + (Double(milliseconds) + jump * 1000) / 1000))
    }

    /// Returns `instant` in milliseconds since the start, rounded up.
    static func milliseconds(of instant: ContinuousClock.Instant) -> Int64 {
        // A division as `Double` loses attoseconds. The timer would fire before its time, again and again.
        let (seconds, attoseconds) = start.duration(to: instant).components
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return seconds * 1000 + whole + (rest > 0 ? 1 : 0)
    }
}
