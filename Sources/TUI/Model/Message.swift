import FerryUploads

/// The events that the screen's model handles.
enum Message: Sendable {
    case clock(Clock)
    case resized(Size)
    case key(Key)
    case clicked(Region.Target)
    case queue(QueueUpdate)
    case progress([ProgressSample])
    case replied(QueueReply, to: Request)
    /// The contents of a folder. `number` is the number of the model's request.
    case listed(BrowsedFolder, number: Int)
    /// The files that a search found. `past` has the history's done uploads of their paths.
    case previewed(FileSelection, past: [Upload] = [], number: Int)
    /// The completions of a typed line. `number` is the number of the model's request.
    case completed([String], number: Int)
    case destinations(DestinationNames)
    /// Text that other code in the process wrote to standard output or error.
    case stray(String)
    /// The process cannot suspend itself: it has no shell to return to.
    case cannotSuspend
    /// The queue will send no more updates.
    case queueEnded
}

/// An action outside of the model, which only requests it. `Program` and `EffectRunner` perform it.
enum Effect: Sendable {
    case perform(QueueCommand, Request)
    /// Finds the files that the user chose to add. A search that still runs is cancelled.
    case preview(AddRequest, number: Int)
    case stopPreview
    /// Reads a folder. The reading of an earlier folder is cancelled.
    case list(FolderReference, number: Int)
    case complete(String, number: Int)
    case askDestinations
    case add(FileSelection, destination: String)
    case setMouse(Bool)
    /// Copies text to the terminal's clipboard.
    case copy(String)
    case notify(TerminalNotification.Signal, String)
    case redraw
    case suspend
    case startEngine
    case finish(ScreenOutcome)
}

/// A command sent to the queue. It decides how the queue's reply is worded for the user.
enum Request: Hashable, Sendable {
    /// An addition of `files` files; `skipped` ones could not be added.
    case add(files: Int, skipped: Int)
    case pause(warning: String?)
    case pauseAll(warning: String?)
    case resume, retry, move, tryNow
    /// A removal. `name` is the file's name of a single upload, which the table no longer has when the reply comes.
    case remove(name: String?)
    case limitBandwidth(Bandwidth?)
    case limitConcurrency(Int)
    case stopWhenIdle
    case undo, redo, startEngine
}
