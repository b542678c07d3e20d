import FerryTestSupport
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The output of a running program.
final class OutputLog: Sendable {
    struct TimedOut: Error {
        var text: String
    }

    private struct State {
        var bytes: [UInt8] = []
        var hasEnded = false
        var watchers: [(isMet: @Sendable ([String]) -> Bool, gate: Gate)] = []

        var lines: [String] {
            bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private let state = Mutex(State())

    var bytes: [UInt8] { state.withLock { $0.bytes } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The complete lines so far.
    var lines: [String] { state.withLock { $0.lines } }

    /// Waits until `condition` holds for the complete lines.
    /// - Throws: `TimedOut` after `limit` of real time, or if the program ends before.
    @discardableResult
    func wait(
        upTo limit: Duration = Gate.limit, for condition: @escaping @Sendable ([String]) -> Bool
    ) async throws -> [String] {
        let gate = Gate()
        state.withLock { state in
            if state.hasEnded || condition(state.lines) {
                gate.open()
            } else {
                state.watchers.append((condition, gate))
            }
        }
        try? await gate.wait(upTo: limit)
        let lines = lines
        guard condition(lines) else { throw TimedOut(text: text) }
        return lines
    }

    /// Reads to the end and closes the descriptor. It blocks the thread.
    func read(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = systemRead(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            take(buffer[..<count], isLast: false)
        }
        close(descriptor)
        take([], isLast: true)
    }

    private func take(_ piece: ArraySlice<UInt8>, isLast: Bool) {
        let met: [Gate] = state.withLock { state in
            state.bytes += piece
            state.hasEnded = isLast
            guard !state.watchers.isEmpty else { return [] }
            let lines = state.lines
            let met = state.watchers.filter { isLast || $0.isMet(lines) }.map(\.gate)
            state.watchers.removeAll { watcher in met.contains { $0 === watcher.gate } }
            return met
        }
        for gate in met { gate.open() }
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
    read(descriptor, &buffer, count)
}
