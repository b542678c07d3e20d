/// Finds out whether a silent connection is dead, or only its link is interrupted. The caller makes all system calls.
///
/// The kernel sends unacknowledged segments again for about 15 minutes before it gives up. Here, after several
/// unanswered packets in a row, the caller opens a new connection to the same address. If the server accepts it, and
/// still does not acknowledge the packets of the old connection, the old one is dead.
///
/// A server that is slow, or whose receive window is full, acknowledges the kernel's probes, and never counts as dead.
struct DeadPeerDetector {
    enum Verdict: Hashable {
        case nothing
        case compare
        case dead
    }

    private enum State {
        case heard
        /// The server accepted a new connection while this number of packets of the old connection was unanswered.
        case suspected(unanswered: Int)
        /// A new connection is being opened; `suspected` is the number of an earlier comparison.
        case comparing(suspected: Int?)
    }

    /// The number of consecutive unanswered packets that raises suspicion. Usually the kernel sends three after 0.2,
    /// 0.4 and 0.8 s. On a link that loses a tenth of its packets, one in a thousand such runs is lost by chance.
    private static let unansweredBeforeSuspicion = 3

    private let breakCostsLittle: Bool
    private var state = State.heard

    /// - Parameter breakCostsLittle: True if little must be sent again, so that one comparison is enough. Otherwise
    ///   three more packets must stay unanswered, since the link possibly recovers.
    init(breakCostsLittle: Bool) { self.breakCostsLittle = breakCostsLittle }

    mutating func take(_ progress: TCPInfo) -> Verdict {
        guard progress.unanswered >= Self.unansweredBeforeSuspicion else {
            state = .heard
            return .nothing
        }
        switch state {
        case .comparing: return .nothing
        case .heard:
            state = .comparing(suspected: nil)
            return .compare
        case .suspected(let unanswered):
            // The link has possibly failed again since the earlier comparison, so a recent comparison is necessary.
            guard progress.unanswered >= unanswered + tolerance(progress) else { return .nothing }
            state = .comparing(suspected: unanswered)
            return .compare
        }
    }

    /// - Parameter progress: The state of the old connection, read after the server accepted the new one.
    mutating func newConnectionAccepted(_ progress: TCPInfo) -> Verdict {
        guard case .comparing(let suspected) = state else { return .nothing }
        guard progress.unanswered >= Self.unansweredBeforeSuspicion else {
            state = .heard
            return .nothing
        }
        let tolerance = tolerance(progress)
        if let suspected, progress.unanswered >= suspected + tolerance { return .dead }
        guard tolerance > 0 else { return .dead }
        state = .suspected(unanswered: suspected ?? progress.unanswered)
        return .nothing
    }

    mutating func newConnectionFailed() {
        guard case .comparing(let suspected) = state else { return }
        state = suspected.map { .suspected(unanswered: $0) } ?? .heard
    }

    /// Returns how many more packets of the old connection must stay unanswered after the server has accepted a new
    /// one.
    ///
    /// Without bytes in flight, unanswered packets prove less: the kernel then sends only probes of an idle connection,
    /// which some network devices drop.
    private func tolerance(_ progress: TCPInfo) -> Int {
        breakCostsLittle && progress.hasBytesInFlight ? 0 : 3
    }
}
