import FerryConnectivity
import FerryReceiver
import Synchronization

/// A simulated bad network link for the demo. A proxy resets its connections every few seconds and at times refuses new
/// ones; the link monitor reports this outage.
final class DemoLink: Sendable {
    private static let cutEvery = Duration.seconds(4)
    private static let present = Duration.seconds(12)
    private static let away = Duration.seconds(5)

    private let proxy: FlakyProxy
    private let tasks = Mutex<[Task<Void, Never>]>([])
    let monitor = DemoLinkMonitor()

    init(target: ReceiverAddress) { proxy = FlakyProxy(target: target, cutEvery: Self.cutEvery) }

    /// Starts the proxy and the outages. Returns the address on which the proxy listens.
    func start() async throws(CommandFailure) -> ReceiverAddress {
        let (addresses, started) = AsyncStream.makeStream(of: ReceiverAddress.self)
        let proxy = proxy
        let running = Task {
            try? await proxy.run { started.yield($0) }
            started.finish()
        }
        guard let address = await addresses.first(where: { _ in true }) else {
            throw CommandFailure(status: 1, summary: "the demo's proxy cannot listen on loopback")
        }
        let monitor = monitor
        let swinging = Task {
            while (try? await Task.sleep(for: Self.present)) != nil {
                await proxy.takeLinkAway()
                monitor.report(.down(reason: "the demo took the link away"))
                try? await Task.sleep(for: Self.away)
                try? await proxy.giveLinkBack()
                monitor.report(.up(generation: 0))
            }
        }
        tasks.withLock { $0 = [running, swinging] }
        return address
    }

    func stop() {
        for task in tasks.withLock({ $0 }) { task.cancel() }
    }
}

final class DemoLinkMonitor: LinkMonitor {
    private let continuations = Mutex<[AsyncStream<LinkStatus>.Continuation]>([])

    func statuses() -> AsyncStream<LinkStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LinkStatus.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield(.up(generation: 0))
        continuations.withLock { $0.append(continuation) }
        return stream
    }

    func report(_ status: LinkStatus) {
        for continuation in continuations.withLock({ $0 }) { continuation.yield(status) }
    }
}
