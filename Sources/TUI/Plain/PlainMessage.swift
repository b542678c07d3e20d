import FerryUploads

/// The events that the line mode handles.
enum PlainMessage: Sendable {
    /// The line mode began; `because` is why there is no screen, unless the user asked for lines.
    case opened(because: String?)
    case clock(Clock)
    case progress([ProgressSample])
    /// A message from the queue or from the search for files.
    case news(Message)
    case typed(LineSplitter.Line)
    case inputEnded
    case idle
    /// A signal or another part of the program ends the line mode.
    case ended(ScreenOutcome)
}

/// An action outside of the line mode's model. `PlainScreen` performs it.
enum PlainEffect: Sendable {
    case print(String)
    case send(Effect)
    case waitUntilIdle
    case finish(ScreenOutcome)
}
