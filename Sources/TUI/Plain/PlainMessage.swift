import FerryUploads

/// Everything that can happen to the line mode.
enum PlainMessage: Sendable {
    /// The line mode began. `because` is the reason why there is no screen, if the user did not ask for lines.
    case opened(because: String?)
    case clock(Clock)
    case progress([ProgressSample])
    /// A message from the queue or from the search for files.
    case told(Message)
    case typed(LineSplitter.Line)
    case inputEnded
    /// The queue is idle: nothing runs, and nothing will start by itself.
    case idle
    /// A signal or another part of the program ends the line mode.
    case ended(ScreenOutcome)
}

/// An effect that the shell around the line mode performs.
enum PlainEffect: Sendable {
    case print(String)
    /// An effect for the queue or the disk.
    case send(Effect)
    /// Asks for a message once the queue is idle.
    case waitUntilIdle
    case finish(ScreenOutcome)
}
