import FerryConnectivity
import Synchronization

/// Watches the network link, so that uploads pause on forbidden networks. Reports the link as down if `base` does, or
/// if the policy forbids the current network. It forbids no unknown network.
struct PolicyLinkMonitor<C: Clock>: LinkMonitor where C.Duration == Duration {
    /// The time between two checks of the network. The network can become metered while the link stays up.
    static var pause: Duration { .seconds(15) }

    let base: any LinkMonitor
    let policy: NetworkPolicy
    let clock: C
    let network: @Sendable () async -> CurrentNetwork?

    private let objections = Objections()

    /// Always true: uploads must send nothing before the network has been checked, because the network may be metered.
    var holdsUntilKnown: Bool { true }

    func forbidsNetwork(because reason: String) -> Bool { objections.contains(reason) }

    func statuses() -> AsyncStream<LinkStatus> {
        let observed = base.statuses()
        let (stream, continuation) = AsyncStream.makeStream(
            of: LinkStatus.self, bufferingPolicy: .bufferingNewest(1))
        let (questions, ask) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let relay = Relay(continuation, objections)
        let task = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await status in observed {
                        await relay.take(status)
                        if status.isUp { ask.yield() }
                    }
                }
                // A task of its own: a slow NetworkManager must not delay the report of a lost link.
                group.addTask {
                    for await _ in questions {
                        let change = await relay.linkChanges
                        await relay.take(await network().flatMap(policy.objection), since: change)
                    }
                }
                group.addTask {
                    while (try? await clock.sleep(for: Self.pause)) != nil { ask.yield() }
                }
                await group.next()
                group.cancelAll()
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

/// Combines the status of the link with the network policy.
private actor Relay {
    private let continuation: AsyncStream<LinkStatus>.Continuation
    private var link: LinkStatus?
    private(set) var linkChanges = 0
    private var objection: Objection = .unknown
    private var reported: LinkStatus?

    private enum Objection {
        /// The policy has not been checked since the link changed. Until the check, the link is not reported as up.
        case unknown
        case known(String?)
    }

    private let objections: Objections

    init(_ continuation: AsyncStream<LinkStatus>.Continuation, _ objections: Objections) {
        self.continuation = continuation
        self.objections = objections
    }

    func take(_ status: LinkStatus) {
        // After a change, the machine may be in another network, so the policy must be checked again.
        if status != link { objection = .unknown }
        linkChanges += 1
        link = status
        tell()
    }

    /// Stores the result of a policy check, unless the link has changed since the check began.
    /// - Parameters:
    ///   - reason: The reason why the policy forbids the current network; nil if the policy allows it.
    ///   - change: The value of `linkChanges` when the check began.
    func take(_ reason: String?, since change: Int) {
        guard change == linkChanges else { return }
        objection = .known(reason)
        tell()
    }

    private func tell() {
        guard let link else { return }
        let status: LinkStatus
        switch (link, objection) {
        case (.down, _): status = link
        case (.up, .unknown): return
        case (.up, .known(nil)): status = link
        case (.up, .known(let reason?)):
            objections.note(reason)
            status = .down(reason: reason)
        }
        guard status != reported else { return }
        reported = status
        continuation.yield(status)
    }
}

/// All reasons for which the policy has forbidden a network, which tell a forbidden network from a lost link.
private final class Objections: Sendable {
    private let reasons = Mutex<Set<String>>([])

    func note(_ reason: String) { _ = reasons.withLock { $0.insert(reason) } }

    func contains(_ reason: String) -> Bool { reasons.withLock { $0.contains(reason) } }
}
