import CFerryTerminal
import FerryFiles

/// Lines from standard input. A thread reads them, because a blocked read cannot be cancelled.
enum LineInput {
    static var isTerminal: Bool { StandardStream.input.isTerminal }

    /// Calls `handle` for each event. On a terminal, more lines can follow the end of the input (Ctrl-D).
    static func start(_ handle: @escaping @Sendable (PlainMessage) -> Void) {
        DetachedThread.start(name: "input") { read(handle) }
    }

    private static func read(_ handle: (PlainMessage) -> Void) {
        let isTerminal = isTerminal
        var splitter = LineSplitter()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            if !StandardStream.input.waitForBytes(), isTerminal { return handle(.ended(.hangUp)) }
            guard !isTerminal || terminal_in_foreground() else {
                // After `bg` a read would stop the process (SIGTTIN), and its uploads.
                DetachedThread.sleep(for: .milliseconds(250))
                continue
            }
            let count: Int
            do throws(SystemCallError) {
                guard let read = try StandardStream.input.readOnce(into: &buffer) else { continue }
                count = read
            } catch {
                count = -1
            }
            if count > 0 {
                for line in splitter.add(buffer.prefix(count)) { handle(.typed(line)) }
                continue
            }
            if let last = splitter.finish() { handle(.typed(last)) }
            guard isTerminal else { return handle(.inputEnded) }
            handle(count == 0 ? .inputEnded : .ended(.hangUp))
            if count < 0 { return }
        }
    }
}
