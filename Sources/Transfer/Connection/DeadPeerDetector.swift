/// Finds out whether a silent connection is dead, or whether only its link is interrupted. The caller makes all system
/// calls.
///
/// The kernel sends unacknowledged segments again for about 15 minutes, at growing intervals, before it gives up. This
/// detector is faster. If several packets in a row stay unanswered, the caller opens a new connection to the same
/// address. If the server accepts the new connection, but does not acknowledge the packets of the old one, the old
/// connection is dead.
///
/// A server that is slow, or whose receive window is full, acknowledges the kernel's probes. So its connection never
/// counts as dead.
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
        /// The server accepted a new connection while this number of packets of the old connection was unanswered.
        case suspected(unanswered: Int)
        /// A new connection is being opened. `suspected` is the number of unanswered packets when the server accepted
        /// an earlier new connection; nil if there was none.
        case comparing(suspected: Int?)
    }

    /// The number of consecutive unanswered packets after which the connection is suspected to be dead. Usually the
    /// kernel sends three such packets after waits of 0.2, 0.4 and 0.8 s. If a link loses a tenth of its packets, the
    /// chance that three in a row are lost is one in a thousand.
    private static let unansweredBeforeSuspicion = 3

    private let breakCostsLittle: Bool
    private var state = State.heard

    /// - Parameter breakCostsLittle: True if the server keeps the received part, or the body is small, so that little
    ///   must be sent again. The connection can then count as dead after one comparison with a new connection.
    ///   Otherwise three more packets must stay unanswered, since the link possibly recovers.
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

    /// - Parameter progress: The state of the old connection, read after the server accepted the new one.
    /// - Returns: `dead` if the caller must close the old connection; otherwise `nothing`.
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

    /// Returns how many more packets of the old connection must stay unanswered before the connection counts as dead.
    /// Called after the server has accepted a new connection.
    ///
    /// The result is 0 if bytes are in flight and `breakCostsLittle` is true. Otherwise it is 3. Without bytes in
    /// flight, unanswered packets prove less: the kernel then sends only probes of an idle connection, which some
    /// network devices drop.
    private func tolerance(_ progress: TCPInfo) -> Int {
        breakCostsLittle && progress.hasBytesInFlight ? 0 : 3
    }
}
