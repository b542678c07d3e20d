/// Whose engine the screen shows. It decides what leaving means.
public enum EngineTie: Hashable, Sendable {
    /// It ends with the screen.
    case own
    /// It ends with the screen, but another one in the background can take the queue over.
    case detachable
    /// It runs in another process, and goes on when the screen has gone.
    case attached
}
