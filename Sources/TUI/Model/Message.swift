import FerryProtocols
import FerryUploads

/// Everything that can happen to the screen.
enum Message: Sendable {
    case clock(Clock)
    case resized(Size)
    case key(Key)
    /// A click on something that was drawn.
    case clicked(Region.Target)
    case queue(QueueUpdate)
    case progress([ProgressSample])
    case replied(QueueReply, to: Request)
    /// What is in a folder that was asked for.
    case listed(BrowsedFolder, number: Int)
    case previewed(FileSelection, number: Int)
    case completed([String], number: Int)
    case destinations(DestinationNames)
    /// Something else in the process wrote to standard output or error.
    case stray(String)
    /// There is no shell to go back to.
    case cannotSuspend
    /// The queue will send no more updates.
    case queueEnded
}

extension Message {
    /// True for the answer what a choice comes to.
    var isPreview: Bool {
        if case .previewed = self { return true }
        return false
    }
}

/// What the model wants done outside.
enum Effect: Sendable {
    case perform(QueueCommand, Request)
    /// What would this add? Replaces a question that is still open.
    case preview(AddRequest, number: Int)
    /// Nobody waits for the answer any more.
    case stopPreview
    /// What is in this folder? Replaces a question that is still open.
    case list(BrowsedPlace, number: Int)
    case complete(String, number: Int)
    /// Where can files go now?
    case askDestinations
    case add(FileSelection, destination: String)
    case setMouse(Bool)
    /// To the clipboard of the terminal.
    case copy(String)
    /// Calls the person who may look elsewhere.
    case call(TerminalCall.Way, String)
    case redraw
    case suspend
    case startEngine
    case finish(ScreenOutcome)
}

/// What was asked of the queue, to put its answer into words.
enum Request: Hashable, Sendable {
    /// - `files`: How many were to be added.
    /// - `skipped`: How many could not be.
    case add(files: Int, skipped: Int)
    case pause(warning: String?)
    case pauseAll(warning: String?)
    case resume, retry, move, tryNow
    /// With the name if it is one upload: it is gone when the answer comes.
    case remove(name: String?)
    case limitBandwidth(Bandwidth?)
    case limitConcurrency(Int)
    case stopWhenIdle
    case undo, redo, startEngine
}
