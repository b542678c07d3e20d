/// The relation of the screen to the engine, which decides what happens to the engine when the user leaves.
package enum EngineOwnership: Hashable, Sendable {
    /// The engine ends with the screen.
    case own
    /// The engine ends with the screen, but a background engine can take over the queue.
    case detachable
    /// The engine runs in another process and continues without the screen.
    case attached

    /// The sentence that the terminal shows after Ctrl-Z, when the screen is gone.
    var farewell: String {
        switch self {
        case .own, .detachable: "ferry and its uploads are suspended; `fg` resumes them"
        case .attached: "the screen is suspended, uploads continue in the engine; `fg` brings it back"
        }
    }
}
