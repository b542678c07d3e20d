/// Whose engine the screen shows. It decides what leaving means.
public enum EngineTie: Hashable, Sendable {
    /// It ends with the screen.
    case own
    /// It ends with the screen, but another one in the background can take the queue over.
    case detachable
    /// It runs in another process, and goes on when the screen has gone.
    case attached

    /// The sentence on the normal screen after Ctrl-Z has suspended this one.
    var farewell: String {
        switch self {
        case .own, .detachable: "ferry and its uploads are suspended; `fg` resumes them"
        case .attached: "the screen is suspended, uploads continue in the engine; `fg` brings it back"
        }
    }
}
