import FerryFiles
import Synchronization

/// A line on the terminal about work that takes more than a second, with its time. It disappears at the end of the work.
/// It has a thread of its own, because the work can block all threads of Swift's pool.
final class WaitLine: Sendable {
    /// The control sequence that goes to the start of the line, and erases it (ECMA-48 §8.3.41, EL).
    private static let erasing = "\r\u{1B}[K"
    private static let isShown = Mutex(false)

    private let isOver = Mutex(false)

    /// Begins to wait, if standard error is a terminal that can erase lines.
    ///
    /// - Parameter text: The text before the seconds, such as `waiting for the queue`.
    static func start(_ text: String) -> WaitLine? {
        guard StandardStream.errors.isTerminal, TerminalSize.canRedraw else { return nil }
        let line = WaitLine()
        let began = ContinuousClock.now
        DetachedThread.start {
            repeat {
                DetachedThread.sleep(for: .seconds(1))
            } while line.show("\(text): \(Int((.now - began) / .seconds(1))) s")
        }
        return line
    }

    private init() {}

    /// Shows the text. Returns false once the work has ended.
    private func show(_ text: String) -> Bool {
        isOver.withLock { isOver in
            guard !isOver else { return false }
            Self.isShown.withLock { isShown in
                StandardStream.errors.write(Self.erasing + text)
                isShown = true
            }
            return true
        }
    }

    func end() {
        isOver.withLock { $0 = true }
        Self.write("")
    }

    /// Writes other text to standard error, in place of a shown line. The line reappears within a second.
    static func write(_ text: String) {
        isShown.withLock { isShown in
            let whole = isShown ? erasing + text : text
            isShown = false
            if !whole.isEmpty { StandardStream.errors.write(whole) }
        }
    }
}
