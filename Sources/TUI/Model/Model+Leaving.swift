import FerryProtocols
import FerryUploads

extension Model {
    /// True if what is shown may be old, because nobody tells any more.
    var isEngineGone: Bool {
        if case .lost = status.contact { return true }
        return queueHasEnded
    }

    /// Leaves, or asks first if uploads run.
    mutating func quit() -> [Effect] {
        if isFinishing || table.running.isEmpty || isEngineGone { return [.finish(.quit)] }
        dialog = .quit(openedAt: clock.seconds, tie)
        return []
    }

    mutating func runInQuit(_ action: Action) -> [Effect] {
        dialog = nil
        switch action {
        case .quitNow: return [.finish(.quit)]
        case .quitWhenIdle:
            guard !table.running.isEmpty else { return [.finish(.quitWhenIdle)] }
            isFinishing = true
            return [.perform(.stopWhenIdle, .stopWhenIdle)]
        case .detach: return detach()
        case .stopEngine: return [.finish(.stopEngine)]
        default: return []
        }
    }

    /// Leaves while uploads go on.
    mutating func detach() -> [Effect] {
        switch tie {
        case .attached: return [.finish(.quit)]
        case .detachable where !isEngineGone: return [.finish(.detach)]
        case .detachable, .own: return refuse("this queue ends with its screen")
        }
    }

    mutating func startEngine() -> [Effect] {
        guard isEngineGone else { return refuse("the engine runs, as far as is known; nothing to start") }
        guard tie == .attached else {
            return refuse("the engine ended with its screen; ferry starts another")
        }
        say(.information, "starting another engine")
        return [.startEngine]
    }
}
