/// Distinguishes a connection that died silently from one whose link is away for a while. Pure.
///
/// The kernel sends unacknowledged segments again for about 15 minutes, at growing intervals, before it gives up. So a
/// connection with several unacknowledged segments in a row is compared with a new connection to the same address. If
/// the server accepts the new one and the old one still receives no acknowledgment, the old one is dead. A server that
/// is slow, or has a full window, acknowledges the kernel's probes and never counts as dead.
struct DeadPeerDetector {
    /// The next step.
    enum Verdict: Hashable {
        case nothing
        /// Open a new connection to the same address, and report the result.
        case compare
        case dead
    }

    private enum State {
        /// The peer is not suspected.
        case heard
        /// A new connection was accepted when the old one had this number of unanswered packets.
        case doubted(unanswered: Int)
        /// A new connection is being opened; `doubted` is the number of unanswered packets when an earlier one was
        /// accepted.
        case comparing(doubted: Int?)
    }

    /// The number of unanswered packets that makes a peer suspect: at usual round trips after 0.2, 0.4 and 0.8 s. A
    /// link that loses a tenth of its packets reaches this once in a thousand times.
    private static let unansweredBeforeDoubt = 3

    private let breakCostsLittle: Bool
    private var state = State.heard

    /// - Parameter breakCostsLittle: True if losing the connection costs little: then the first doubt ends it. Any
    ///   other connection may send three more packets over the restored link.
    init(breakCostsLittle: Bool) { self.breakCostsLittle = breakCostsLittle }

    mutating func take(_ progress: TCPInfo) -> Verdict {
        guard progress.unanswered >= Self.unansweredBeforeDoubt else {
            state = .heard
            return .nothing
        }
        switch state {
        case .comparing: return .nothing
        case .heard:
            state = .comparing(doubted: nil)
            return .compare
        case .doubted(let unanswered):
            // The link may have failed again meanwhile: the comparison must be recent.
            guard progress.unanswered >= unanswered + tolerance(progress) else { return .nothing }
            state = .comparing(doubted: unanswered)
            return .compare
        }
    }

    /// Records that a new connection was accepted; `progress` is that of the old connection afterwards.
    mutating func newConnectionAccepted(_ progress: TCPInfo) -> Verdict {
        guard case .comparing(let doubted) = state else { return .nothing }
        guard progress.unanswered >= Self.unansweredBeforeDoubt else {
            state = .heard
            return .nothing
        }
        let tolerance = tolerance(progress)
        if let doubted, progress.unanswered >= doubted + tolerance { return .dead }
        guard tolerance > 0 else { return .dead }
        state = .doubted(unanswered: doubted ?? progress.unanswered)
        return .nothing
    }

    /// Records that no new connection could be made.
    mutating func newConnectionFailed() {
        guard case .comparing(let doubted) = state else { return }
        state = doubted.map { .doubted(unanswered: $0) } ?? .heard
    }

    /// Returns the number of packets that may stay unanswered after a new connection was accepted. Some devices on the
    /// path drop the kernel's probes while the connection is idle.
    private func tolerance(_ progress: TCPInfo) -> Int {
        breakCostsLittle && progress.hasBytesOnTheWay ? 0 : 3
    }
}
