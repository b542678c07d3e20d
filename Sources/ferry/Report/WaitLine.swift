import Dispatch
import FerryFiles
import Synchronization

/// A line on the terminal about work that takes more than a second, with its time. It disappears at the end of the work.
final class WaitLine: Sendable {
    private enum Phase {
        case waiting
        case shown
        case ended
    }

    /// Erases the rest of the line (ECMA-48 §8.3.41, EL).
    private static let erasing = "\u{1B}[K"

    private let text: String
    private let began = ContinuousClock.now
    private let phase = Mutex(Phase.waiting)

    /// Begins to wait, if standard error is a terminal that can erase lines.
    ///
    /// - Parameter text: The text before the seconds, such as `waiting for the queue`.
    static func start(_ text: String) -> WaitLine? {
        guard StandardStream.errors.isTerminal, TerminalSize.canRedraw else { return nil }
        let line = WaitLine(text)
        line.showLater()
        return line
    }

    private init(_ text: String) { self.text = text }

    private func showLater() {
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in self?.show() }
    }

    private func show() {
        let isEnded = phase.withLock { phase in
            if case .ended = phase { return true }
            phase = .shown
            let seconds = Int((.now - began) / .seconds(1))
            // The cursor returns to the start, so that a note overwrites the line.
            StandardError.write("\(Self.erasing)\(text): \(seconds) s\r")
            return false
        }
        if !isEnded { showLater() }
    }

    /// Ends the waiting, and erases the line.
    func end() {
        phase.withLock { phase in
            if case .shown = phase { StandardError.write(Self.erasing) }
            phase = .ended
        }
    }
}
