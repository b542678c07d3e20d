import Dispatch
import Synchronization

extension ArraySlice where Element: Sendable {
    /// Returns the results of `body` for consecutive chunks of `size` elements, in their order. Of several chunks, each
    /// processor takes the next one. The calling thread takes part, and waits for the others.
    package func mapChunks<Result: Sendable>(
        of size: Int, _ body: @Sendable (ArraySlice) -> Result
    ) -> [Result] {
        let starts = Array(stride(from: startIndex, to: endIndex, by: size))
        guard starts.count > 1 else { return isEmpty ? [] : [body(self)] }
        let results = Mutex([Result?](repeating: nil, count: starts.count))
        DispatchQueue.concurrentPerform(iterations: starts.count) { number in
            let result = body(self[starts[number]...].prefix(size))
            results.withLock { $0[number] = result }
        }
        return results.withLock { $0.compactMap { $0 } }
    }
}
