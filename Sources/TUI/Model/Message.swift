import FerryProtocols
import FerryUploads

/// Everything that can happen to the screen.
enum Message: Sendable {
    case clock(Clock)
    case resized(Size)
    case key(Key)
    /// A click on a region of the frame.
    case clicked(Region.Target)
    case queue(QueueUpdate)
    case progress([ProgressSample])
    case replied(QueueReply, to: Request)
    /// The contents of a folder that the model requested.
    case listed(BrowsedFolder, number: Int)
    case previewed(FileSelection, number: Int)
    case completed([String], number: Int)
    case destinations(DestinationNames)
    /// Text that other code in the process wrote to standard output or error.
    case stray(String)
    /// The process cannot suspend itself: it has no shell to return to.
    case cannotSuspend
    /// The queue will send no more updates.
    case queueEnded
}

extension Message {
    /// True for the files that a search found.
    var isPreview: Bool { if case .previewed = self { true } else { false } }
}

/// An effect that the shell around the model performs.
enum Effect: Sendable {
    case perform(QueueCommand, Request)
    /// Finds the files that the user chose to add. A search that still runs is cancelled.
    case preview(AddRequest, number: Int)
    /// Cancels the search for files: its result is no longer needed.
    case stopPreview
    /// Reads a folder. The reading of an earlier folder is cancelled.
    case list(FolderReference, number: Int)
    case complete(String, number: Int)
    /// Asks for the current destinations.
    case askDestinations
    case add(FileSelection, destination: String)
    case setMouse(Bool)
    /// Copies text to the terminal's clipboard.
    case copy(String)
    /// Notifies the user, who may look elsewhere.
    case notify(TerminalNotification.Signal, String)
    case redraw
    case suspend
    case startEngine
    case finish(ScreenOutcome)
}

/// The command behind a reply of the queue; the reply's text depends on it.
enum Request: Hashable, Sendable {
    /// - `files`: The number of files to be added.
    /// - `skipped`: The number of files that could not be added.
    case add(files: Int, skipped: Int)
    case pause(warning: String?)
    case pauseAll(warning: String?)
    case resume, retry, move, tryNow
    /// A removal, with the file's name if it is one upload: the upload is gone when the reply comes.
    case remove(name: String?)
    case limitBandwidth(Bandwidth?)
    case limitConcurrency(Int)
    case stopWhenIdle
    case undo, redo, startEngine
}
