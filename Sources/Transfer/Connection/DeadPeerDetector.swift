/// Tells a connection that died without a word from one whose link is only away for a while. Pure.
///
/// The kernel keeps a connection that nobody answers for about 15 minutes, waiting twice as long each time. So one that
/// was left unanswered several times in a row is compared with a new connection to the same address. If the server
/// accepts the new one and the old one still hears nothing, the old one is dead. A server that is slow, or has no room,
/// answers the kernel's questions and is never taken for dead.
struct DeadPeerDetector {
    /// The next step.
    enum Verdict: Hashable {
        case nothing
        /// Try a new connection to the same address, and tell what came of it.
        case compare
        case dead
    }

    private enum State {
        /// The peer is not suspected.
        case heard
        /// A new connection was accepted when so much was unanswered.
        case doubted(unanswered: Int)
        /// A new connection is being tried; so much was unanswered when an earlier one was accepted.
        case comparing(doubted: Int?)
    }

    /// The number of unanswered questions that makes a peer suspect: at the usual round trips after 0.2, 0.4 and 0.8 s. A
    /// link that loses a tenth of its packets does that once in a thousand times.
    private static let unansweredBeforeDoubt = 3

    private let breakCostsLittle: Bool
    private var state = State.heard

    /// - Parameter breakCostsLittle: A connection whose break costs little is given up at the first doubt; any other
    ///   may ask three times more over the link that works again.
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
            // The link may have gone again meanwhile: the proof must be fresh.
            guard progress.unanswered >= unanswered + tolerance(progress) else { return .nothing }
            state = .comparing(doubted: unanswered)
            return .compare
        }
    }

    /// A new connection was accepted; `progress` is the old one's after that.
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

    /// No new connection was made.
    mutating func newConnectionFailed() {
        guard case .comparing(let doubted) = state else { return }
        state = doubted.map { .doubted(unanswered: $0) } ?? .heard
    }

    /// Returns the number of questions that may stay unanswered after a new connection was accepted. Not every device on
    /// the way passes on the kernel's questions while nothing is sent.
    private func tolerance(_ progress: TCPInfo) -> Int {
        breakCostsLittle && progress.hasBytesOnTheWay ? 0 : 3
    }
}
