/// Distinguishes a dead connection from one whose link is interrupted. The caller makes all system calls.
///
/// The kernel sends unacknowledged segments again for about 15 minutes, at growing intervals, before it gives up. So a
/// connection with several unanswered packets in a row is compared with a new connection to the same address. If the
/// server accepts the new one and the old one still receives no acknowledgment, the old one is dead. A server that is
/// slow, or whose receive window is full, acknowledges the kernel's probes and never counts as dead.
struct DeadPeerDetector {
    /// The action that the caller must take.
    enum Verdict: Hashable {
        case nothing
        /// Open a new connection to the same address, and report the result.
        case compare
        case dead
    }

    private enum State {
        /// The connection is not suspected to be dead.
        case heard
        /// The server accepted a new connection while this number of packets of the old one was unanswered.
        case suspected(unanswered: Int)
        /// A new connection is being opened. `suspected` is the number of unanswered packets when the server accepted
        /// an earlier new connection; nil if there was none.
        case comparing(suspected: Int?)
    }

    /// The number of consecutive unanswered packets after which the connection is suspected to be dead. Usually the
    /// kernel sends them after waits of 0.2, 0.4 and 0.8 s. If a link loses a tenth of its packets, the chance that
    /// three in a row are lost is one in a thousand.
    private static let unansweredBeforeSuspicion = 3

    private let breakCostsLittle: Bool
    private var state = State.heard

    /// - Parameter breakCostsLittle: True if the server keeps the received part, or the body is small. The connection
    ///   can then count as dead after one comparison with a new connection. Otherwise three more packets must stay
    ///   unanswered, since the link possibly recovers.
    init(breakCostsLittle: Bool) { self.breakCostsLittle = breakCostsLittle }

    /// Records the current state of the connection, and returns the action that the caller must take.
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

    /// Records that the server accepted a new connection. `progress` is the state of the old connection after that.
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

    /// Records that no new connection could be made.
    mutating func newConnectionFailed() {
        guard case .comparing(let suspected) = state else { return }
        state = suspected.map { .suspected(unanswered: $0) } ?? .heard
    }

    /// Returns how many more packets of the old connection must stay unanswered before it counts as dead. Called after
    /// the server has accepted a new connection. The result is 0 if a break costs little and bytes are in flight,
    /// otherwise 3. Without bytes in flight it is always 3, because some network devices drop the kernel's probes of an
    /// idle connection.
    private func tolerance(_ progress: TCPInfo) -> Int {
        breakCostsLittle && progress.hasBytesInFlight ? 0 : 3
    }
}
