import FerryUploads

/// Everything that can happen to the line mode.
enum PlainMessage: Sendable {
    /// With the reason why there is no screen, if it was not asked for.
    case opened(because: String?)
    case clock(Clock)
    case progress([ProgressSample])
    /// From the queue, or whoever looks for files.
    case told(Message)
    case typed(LineSplitter.Line)
    case inputEnded
    /// Nothing runs in the queue and nothing will by itself.
    case idle
    /// Something outside ends it.
    case ended(ScreenOutcome)
}

/// What the line mode wants done outside.
enum PlainEffect: Sendable {
    case print(String)
    case order(Order)
    /// A message is to come when the queue is idle.
    case waitUntilIdle
    case finish(ScreenOutcome)
}
