import FerryProtocols

/// The state of the journal: whether it works, and when to repair it if it does not.
struct JournalHealth {
    typealias Instant = ContinuousClock.Instant

    enum State {
        case working
        /// The journal accepts changes, but its last snapshot could not be written. `tries` counts failed repairs.
        case snapshotOverdue(JournalError, tries: Int)
        case refused(JournalError, tries: Int)
    }

    private enum Repair {
        case none
        case at(Instant)
        case underWay
    }

    private(set) var state = State.working
    private var repair = Repair.none

    var isRefused: Bool {
        if case .refused = state { true } else { false }
    }

    /// True if waiting alone does not help: the disk is not just full, and a repair has failed too.
    var isHopeless: Bool {
        if case .refused(let error, let tries) = state { tries > 0 && !error.isDiskFull } else { false }
    }

    var storage: EngineStatus.Storage {
        switch state {
        case .working: .saved
        case .snapshotOverdue: .snapshotOverdue
        case .refused: .refusing
        }
    }

    func notice(running: Int) -> UploadFailure? {
        switch state {
        case .working: nil
        case .snapshotOverdue(let error, _): UploadFailure(.storage, error.behindSummary, hint: error.hint)
        case .refused(let error, _):
            UploadFailure(.storage, error.unsavedSummary(running: running), hint: error.hint)
        }
    }

    var nextRepair: Instant? {
        if case .at(let instant) = repair { instant } else { nil }
    }

    /// Notes that the disk refused a change. If uploads start (`isAccepting`), plans a repair.
    mutating func refuse(_ error: JournalError, isAccepting: Bool, now: Instant) {
        if case .refused(_, let tries) = state {
            state = .refused(error, tries: tries)
        } else {
            state = .refused(error, tries: 0)
            // A repair that was planned for a failed snapshot may be minutes away, which is too late now.
            if case .at = repair { repair = .none }
        }
        if isAccepting { plan(at: now) }
    }

    /// Processes a report of the journal, and returns whether there is something new. Plans a repair if needed.
    mutating func report(_ condition: JournalCondition, isAccepting: Bool, now: Instant) -> Bool {
        switch (condition, state) {
        case (.refusing(let error), _): refuse(error, isAccepting: isAccepting, now: now)
        case (.snapshotOverdue(let error), .working):
            state = .snapshotOverdue(error, tries: 0)
            if isAccepting { plan(at: now) }
        case (.healthy, .snapshotOverdue): state = .working
        // Only a repair shows that changes are accepted again.
        case (.healthy, .working), (.healthy, .refused), (.snapshotOverdue, .snapshotOverdue),
            (.snapshotOverdue, .refused):
            return false
        }
        return true
    }

    /// Begins a planned repair if it is due and still needed, and returns whether it does.
    mutating func beginRepair(at now: Instant) -> Bool {
        guard case .at(let instant) = repair, instant <= now else { return false }
        guard delay != nil else {
            repair = .none
            return false
        }
        repair = .underWay
        return true
    }

    /// Processes the result of a repair, and plans the next one. If `hasDirty`, some changes are still not on disk.
    mutating func repaired(_ condition: JournalCondition, hasDirty: Bool, now: Instant) {
        switch (condition, state) {
        case (.refusing(let error), _): state = .refused(error, tries: tries + 1)
        case (_, .refused(let error, _)) where hasDirty: state = .refused(error, tries: tries + 1)
        case (.snapshotOverdue(let error), _): state = .snapshotOverdue(error, tries: tries + 1)
        case (.healthy, _): state = .working
        }
        if case .underWay = repair { repair = .none }
        plan(at: now)
    }

    /// Processes the result of closing the journal, after which only the last snapshot can be missing.
    mutating func close(_ error: JournalError?, hasDirty: Bool) {
        guard !hasDirty else { return }
        state = error.map { .snapshotOverdue($0, tries: 0) } ?? .working
    }

    private mutating func plan(at now: Instant) {
        guard case .none = repair, let delay else { return }
        repair = .at(now.advanced(by: delay))
    }

    private var tries: Int {
        switch state {
        case .working: 0
        case .snapshotOverdue(_, let tries), .refused(_, let tries): tries
        }
    }

    private var delay: Duration? {
        switch state {
        case .working: nil
        // Space may return at any moment, and a repair costs little.
        case .refused(.diskFull, _): .seconds(5)
        // Each repair writes all files again, so the delays grow.
        case .refused(_, let tries): .seconds(min(60, 5 << min(tries, 5)))
        case .snapshotOverdue(_, let tries): .seconds(min(300, 5 << min(tries, 7)))
        }
    }
}
