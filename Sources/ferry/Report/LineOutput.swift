import Dispatch
import FerryTUI
import FerryUploads
import Synchronization

/// Writes lines to standard output without blocking the caller. Lines that find no room in the buffer are dropped and
/// counted. On a terminal, `show` draws live lines, such as progress, below the written lines.
final class LineOutput: Sendable {
    private static let timeout = Duration.seconds(2)
    /// The time that lines wait for others. Standard error does not wait, so that its lines may stand before earlier ones.
    private static let delay = DispatchTimeInterval.milliseconds(10)

    /// The lines that wait for the reader of standard output.
    struct Buffer {
        /// The maximum number of bytes: enough for a slow reader, and for the list of a long queue at the start.
        private static let capacity = 64 << 20

        /// The bytes for the next write.
        private var next: [UInt8] = []
        /// The number of these bytes, plus the number of bytes in the current write.
        private(set) var waiting = 0
        /// The number of lines that found no room since the last write.
        private var dropped = 0

        /// Adds a line, or counts it as dropped. Returns true if the caller must start the next write.
        mutating func add(_ line: [UInt8]) -> Bool {
            guard waiting + line.count <= Self.capacity else {
                dropped += 1
                return false
            }
            defer { next += line }
            waiting += line.count
            return next.isEmpty
        }

        /// Returns the bytes for the next write, which begins now.
        mutating func takeNext() -> [UInt8] {
            defer { next = [] }
            return next
        }

        mutating func takeDropped() -> Int {
            defer { dropped = 0 }
            return dropped
        }

        mutating func didWrite(_ count: Int) { waiting -= count }

        var isWriting: Bool { waiting > next.count }
    }

    /// The text of a second, without and with its day.
    private struct Stamp {
        var second: Int
        var time: String
        var moment: String
    }

    /// The dispatch queue for writes. A blocked write must not take a thread from the uploads.
    let queue = DispatchQueue(label: "output")
    private let buffer = Mutex(Buffer())
    /// The time of the last line: small files end hundreds of times a second.
    private let stamp = Mutex(Stamp(second: .min, time: "", moment: ""))
    /// The live lines on the terminal. Only the tasks of `queue` use this value.
    private let foot = Mutex<[LiveLine]>([])

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        // Small files make hundreds of lines a second, so that many share a write.
        if buffer.withLock({ $0.add(bytes) }) {
            queue.asyncAfter(deadline: .now() + Self.delay) { self.writeNext() }
        }
    }

    /// Writes a line after the time. On a terminal the time of day is enough; a log also needs the day.
    func write(_ line: String, stampedWithDay hasDay: Bool) {
        let now = Date()
        let second = Int(now.timeIntervalSinceReferenceDate.rounded(.down))
        let stamp = stamp.withLock { stamp in
            if stamp.second != second {
                let (day, time) = (Strings.day(now, in: .local), Strings.timeOfDay(now, in: .local))
                stamp = Stamp(second: second, time: time, moment: "\(day) \(time)")
            }
            return hasDay ? stamp.moment : stamp.time
        }
        write("\(stamp)  \(line)")
    }

    /// Writes the lines in the buffer and, below them, the live lines. First tells how many lines were dropped.
    private func writeNext() {
        let (bytes, dropped) = buffer.withLock { ($0.takeNext(), $0.takeDropped()) }
        Self.tell(dropped: dropped)
        guard !bytes.isEmpty else { return }
        let foot = foot.withLock { $0 }
        let drawn = Array(Self.erasure(of: foot).utf8) + bytes + Array(Self.text(of: foot).utf8)
        // Uploads continue after the reader has closed the pipe. `SignalStream` ignores SIGPIPE.
        try? StandardStream.output.write(foot.isEmpty ? bytes : drawn)
        buffer.withLock { $0.didWrite(bytes.count) }
    }

    /// Replaces the live lines at the bottom of the terminal, unless other lines are being written.
    func show(_ lines: [LiveLine]) {
        guard lines.isEmpty || !buffer.withLock({ $0.isWriting }) else { return }
        queue.async { [self] in
            let before = foot.withLock { foot in
                defer { foot = lines }
                return foot
            }
            guard before != lines else { return }
            let drawn = Self.erasure(of: before) + Self.text(of: lines)
            StandardStream.output.write(drawn)
        }
    }

    private static func tell(dropped count: Int) {
        guard count > 0 else { return }
        StandardError.note("\(count) lines were not read in time and are left out")
    }

    private static func text(of foot: [LiveLine]) -> String { foot.map(\.text).joined(separator: "\n") }

    /// Returns the escape sequence that erases the live lines, which can be folded after the window became narrower.
    private static func erasure(of foot: [LiveLine]) -> String {
        guard !foot.isEmpty else { return "" }
        let columns = max(1, TerminalSize.ofOutput?.columns ?? 80)
        let rows = foot.reduce(0) { $0 + max(1, ($1.width + columns - 1) / columns) }
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }

    /// Returns when all lines are written, or after two seconds. Waits also in a cancelled task: an error message must
    /// not be printed into the live lines.
    func flush() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        queue.async { [self] in
            writeNext()
            end.finish()
        }
        let limit = Task {
            try? await Task.sleep(for: Self.timeout)
            end.finish()
        }
        // In a cancelled task, the loop would end at once.
        await Task { for await _ in ends {} }.value
        limit.cancel()
    }
}
