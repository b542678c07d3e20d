import Dispatch
import FerryFiles
import FerryTUI
import Synchronization

/// Standard output that never blocks: lines wait for their reader in a bounded buffer, and further ones are dropped and
/// counted. On a terminal there may be live lines at its foot, above which the others scroll.
final class LineOutput: Sendable {
    /// The size of the buffer in bytes. It is enough for a slow reader, and for the first listing of a large queue.
    private static let capacity = 64 << 20
    private static let timeout = Duration.seconds(2)

    private struct State {
        /// The lines that the next write takes, and the number of bytes that are not written yet, these included.
        var next: [UInt8] = []
        var waiting = 0
        var dropped = 0
    }

    /// A queue of its own: a blocked write must not take a thread from the uploads.
    private let queue = DispatchQueue(label: "output")
    private let state = Mutex(State())
    /// The live lines on the terminal. Only `queue` uses this value.
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

    /// Writes all lines that came since the last write.
    private func writeNext() {
        let (bytes, dropped) = state.withLock { state in
            defer { (state.next, state.dropped) = ([], 0) }
            return (state.next, state.dropped)
        }
        if dropped > 0 {
            StandardError.note("\(dropped) lines were not read in time and are left out")
        }
        let foot = foot.withLock { $0 }
        let drawn = Array(Self.erasure(of: foot).utf8) + bytes + Array(Self.text(of: foot).utf8)
        // A closed pipe is no reason to stop uploading (SIGPIPE is ignored).
        try? StandardStream.output.write(foot.isEmpty ? bytes : drawn)
        state.withLock { $0.waiting -= bytes.count }
    }

    /// Draws these lines in place of those at the foot of the terminal; an empty list removes them.
    func show(_ lines: [LiveLine]) {
        // A terminal that does not read gets the newest lines once it does.
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

    private static func text(of foot: [LiveLine]) -> String {
        foot.map(\.text).joined(separator: "\n")
    }

    /// Returns the text that moves to the start of the lines, in a window that may be narrower by now, and clears the
    /// rest.
    private static func erasure(of foot: [LiveLine]) -> String {
        guard !foot.isEmpty else { return "" }
        let columns = max(1, TerminalSize.ofOutput?.columns ?? 80)
        let rows = foot.reduce(0) { $0 + max(1, ($1.width + columns - 1) / columns) }
        return "\r" + (rows > 1 ? "\u{1B}[\(rows - 1)A" : "") + "\u{1B}[J"
    }

    /// Returns when everything is written, or after two seconds.
    func flush() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        queue.async { end.finish() }
        let limit = Task {
            try? await Task.sleep(for: Self.timeout)
            end.finish()
        }
        for await _ in ends {}
        limit.cancel()
    }
}
