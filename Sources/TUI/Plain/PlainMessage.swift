import FerryUploads

/// The events that the line mode handles. The line mode prints plain lines instead of drawing a screen.
enum PlainMessage: Sendable {
    /// The line mode began. `because` is the reason why there is no screen; nil if the user asked for lines.
    case opened(because: String?)
    case clock(Clock)
    case progress([ProgressSample])
    /// A message from the queue or from the search for files.
    case news(Message)
    case typed(LineSplitter.Line)
    case inputEnded
    /// The queue is idle: nothing runs, and nothing will start by itself.
    case idle
    /// A signal or another part of the program ends the line mode.
    case ended(ScreenOutcome)
}

/// An action outside the line mode's model, which only requests the action. `PlainScreen` performs it.
enum PlainEffect: Sendable {
    case print(String)
    /// An action on the queue or the disk, which `EffectRunner` performs.
    case send(Effect)
    /// Requests the message `idle`, which comes once the queue is idle.
    case waitUntilIdle
    case finish(ScreenOutcome)
}
