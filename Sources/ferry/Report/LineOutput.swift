import Dispatch
import FerryFiles
import FerryTUI
import Synchronization

/// Writes lines to standard output without ever blocking the caller. Lines wait in a buffer. If the buffer is full, new
/// lines are dropped and counted. On a terminal, `show` draws live lines, such as progress, below the written lines.
final class LineOutput: Sendable {
    /// The size of the buffer in bytes: enough for a slow reader, and for the list of a long queue at the start.
    private static let capacity = 64 << 20
    private static let timeout = Duration.seconds(2)

    private struct State {
        /// The bytes for the next write. `waiting` is the number of these bytes, plus the number of bytes in the
        /// current write.
        var next: [UInt8] = []
        var waiting = 0
        var dropped = 0
    }

    /// The dispatch queue for writes. A blocked write must not take a thread from the uploads.
    private let queue = DispatchQueue(label: "output")
    private let state = Mutex(State())
    /// The live lines on the terminal. Only the tasks of `queue` use this value.
    private let foot = Mutex<[LiveLine]>([])

    func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let isFirst = state.withLock { state in
            guard state.waiting + bytes.count <= Self.capacity else {
                state.dropped += 1
                return false
            }
            defer { state.next += bytes }
            state.waiting += bytes.count
            return state.next.isEmpty
        }
        if isFirst { queue.async { self.writeNext() } }
    }

    /// Writes the lines in the buffer, and draws the live lines below them again. If lines were dropped, first prints a
    /// note with their number to standard error.
    private func writeNext() {
        let (bytes, dropped) = state.withLock { state in
            defer { (state.next, state.dropped) = ([], 0) }
            return (state.next, state.dropped)
        }
        Self.tell(dropped: dropped)
        let foot = foot.withLock { $0 }
        let drawn = Array(Self.erasure(of: foot).utf8) + bytes + Array(Self.text(of: foot).utf8)
        // Uploads continue after the reader has closed the pipe. SIGPIPE is ignored.
        try? StandardStream.output.write(foot.isEmpty ? bytes : drawn)
        state.withLock { $0.waiting -= bytes.count }
    }

    /// Replaces the live lines at the bottom of the terminal. An empty list removes them. While other lines wait in the
    /// buffer, new live lines are ignored.
    func show(_ lines: [LiveLine]) {
        guard lines.isEmpty || state.withLock({ $0.waiting == 0 }) else { return }
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

    private static func text(of foot: [LiveLine]) -> String {
        foot.map(\.text).joined(separator: "\n")
    }

    /// Returns the escape sequence that erases the live lines. A line can occupy several rows if the window has become
    /// narrower since the line was drawn.
    private static func erasure(of foot: [LiveLine]) -> String {
        guard !foot.isEmpty else { return "" }
        let columns = max(1, TerminalSize.ofOutput?.columns ?? 80)
        let rows = foot.reduce(0) { $0 + max(1, ($1.width + columns - 1) / columns) }
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }

    /// Returns when all lines are written, or after two seconds.
    func flush() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        queue.async { [self] in
            Self.tell(
                dropped: state.withLock { state in
                    defer { state.dropped = 0 }
                    return state.dropped
                })
            end.finish()
        }
        let limit = Task {
            try? await Task.sleep(for: Self.timeout)
            end.finish()
        }
        for await _ in ends {}
        limit.cancel()
    }
}
