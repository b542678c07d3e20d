import Dispatch
import Foundation
import Synchronization

/// Standard output that never holds anybody up: lines wait for their reader in a bounded store, and beyond it they are
/// dropped and counted.
final class LineOutput: Sendable {
    /// Enough for a reader that looks away for a while, and for the first listing of a large queue.
    private static let capacity = 64 << 20
    private static let patience = Duration.seconds(2)

    private struct State {
        var waiting = 0
        var dropped = 0
    }

    /// A queue of its own: a blocked write must not take a thread from the uploads.
    private let queue = DispatchQueue(label: "output")
    private let state = Mutex(State())

    func write(_ line: String) {
        let bytes = Data((line + "\n").utf8)
        let dropped: Int? = state.withLock { state in
            guard state.waiting + bytes.count <= Self.capacity else {
                state.dropped += 1
                return nil
            }
            state.waiting += bytes.count
            defer { state.dropped = 0 }
            return state.dropped
        }
        guard let dropped else { return }
        queue.async { [self] in
            if dropped > 0 {
                StandardError.write("note: \(dropped) lines were not read in time and are left out\n")
            }
            // A closed pipe is no reason to stop uploading (SIGPIPE is ignored).
            try? FileHandle.standardOutput.write(contentsOf: bytes)
            state.withLock { $0.waiting -= bytes.count }
        }
    }

    /// Returns when all is written, or after two seconds.
    func flush() async {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        queue.async { end.finish() }
        let limit = Task {
            try? await Task.sleep(for: Self.patience)
            end.finish()
        }
        for await _ in ends {}
        limit.cancel()
    }
}
