import FerryTUI
import FerryUploads
import Synchronization

/// Draws live lines with the progress of uploads at the bottom of the terminal, twice a second.
final class LiveDisplay: Sendable {
    private static let interval = Duration.milliseconds(500)

    private let output: LineOutput
    private let lines: Mutex<LiveLines>
    private let progress: @Sendable () -> [ProgressSample]
    private let start = ContinuousClock.now

    static var isPossible: Bool { TerminalSize.ofOutput != nil && TerminalSize.canRedraw }

    init?(on output: LineOutput, isASCII: Bool = false, progress: @escaping @Sendable () -> [ProgressSample])
    {
        guard Self.isPossible else { return nil }
        self.output = output
        self.progress = progress
        lines = Mutex(LiveLines(isUnicode: !isASCII && TerminalSize.isUnicode))
    }

    func take(_ update: QueueUpdate) {
        lines.withLock { lines in
            lines.advance(to: seconds, Date())
            lines.take(update)
        }
    }

    /// Draws the lines until the task is cancelled, and then removes them.
    func run() async {
        while !Task.isCancelled {
            draw(progress())
            try? await Task.sleep(for: Self.interval)
        }
        output.show([])
    }

    private func draw(_ samples: [ProgressSample]) {
        guard let size = TerminalSize.ofOutput else { return }
        output.show(
            lines.withLock { lines in
                lines.advance(to: seconds, Date())
                lines.take(samples)
                // The last column stays empty, because some terminals wrap there.
                return lines.lines(
                    columns: size.columns - 1, rows: size.rows, hasColour: TerminalSize.hasColour)
            })
    }

    private var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }
}
