import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTestSupport
import FerryTransfer
import FerryUploads
import Synchronization

/// A value that a task sets and the schedule reads.
final class Box<Value: Sendable>: Sendable {
    private let content = Mutex<Value?>(nil)

    var value: Value? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    /// True if there is no value. It does not copy the value.
    var isEmpty: Bool { content.withLock { if case .none = $0 { true } else { false } } }

    func take() -> Value? { content.withLock { $0.take() } }
}

/// One life of the engine, from its start to its end, with its disk.
struct Life {
    enum Start {
        case running
        case failed(JournalError)
    }

    let number: Int
    let disk: SimulatedDisk
    let journal: SimulatedJournal
    let queue: UploadQueue
    /// True if no fault is injected.
    let isCalm: Bool
    /// True if the disk fails in some call.
    let isFaulty: Bool
    private let world: World
    private let start = Box<Start>()

    var started: Start? { start.value }

    init(_ disk: SimulatedDisk, world: World, isCalm: Bool) {
        self.disk = disk
        self.world = world
        self.isCalm = isCalm
        let (number, isFaulty) = world.with { state in
            state.life += 1
            state.isAlive = true
            state.diskCalls = 0
            state.diskFault = isCalm ? .none : Self.fault(&state.random)
            state.server.mood = isCalm ? .well : .drawn(&state.random)
            if isCalm {
                state.isLinkUp = true
                state.downHosts = []
            }
            let isFaulty = if case .none = state.diskFault { false } else { true }
            state.log.add("life", state.life, isFaulty ? 1 : 0)
            return (state.life, isFaulty)
        }
        self.number = number
        self.isFaulty = isFaulty
        disk.fail { [world] call in world.diskFault(at: call) }
        journal = SimulatedJournal(disk, world: world, life: number)
        queue = UploadQueue(
            configuration: .init(concurrency: 4, retry: .init(base: SimulatedRunner.retryBase)),
            journal: journal, history: nil, runner: SimulatedRunner(world: world, life: number),
            rateLimit: RateLimit(now: { world.now }), clock: world.clock(of: number),
            probe: { await world.probe($0.name, life: number) },
            environment: QueueEnvironment(
                executor: world.executor, random: { world.drawn($0) },
                look: { path, _ in
                    await world.identity(of: path).map(Result.success)
                        ?? .failure(SourceFile.unreadable(path, "no such file"))
                }, fewestInRanges: 3))
        begin()
    }

    private func begin() {
        let (queue, world, start, number) = (queue, world, start, number)
        _ = Task(executorPreference: world.executor) {
            do throws(JournalError) {
                try await queue.start(monitor: SimulatedLink(world: world))
                start.value = .running
            } catch {
                start.value = .failed(error)
                return
            }
            for await update in await queue.updates() { world.shown(update, life: number) }
        }
    }

    private static func fault(_ random: inout SeededGenerator) -> World.DiskFault {
        guard random.happens(40) else { return .none }
        let first = Int.random(in: 1...120, using: &random)
        let codes: [Int32] = [28, 5, 30, 24]
        let code = codes.randomElement(using: &random) ?? 5
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .fails(at: first, count: 1, .kill)
        case 1: return .fails(at: first, count: 1, .failsHalfway(code))
        case 2: return .fails(at: first, count: Int.random(in: 2...20, using: &random), .fails(code))
        default: return .fails(at: first, count: 1, .fails(code))
        }
    }

    // Changes of the network and the servers.

    func changeLink() {
        world.with { state in
            switch Int.random(in: 0..<4, using: &state.random) {
            case 0:
                state.isLinkUp = true
                state.generation += 1
            case 1, 2: state.isLinkUp = true
            default: state.isLinkUp.toggle()
            }
            state.log.add("link", state.isLinkUp ? 1 : 0, state.generation)
            state.link?.yield(
                state.isLinkUp ? .up(generation: state.generation) : .down(reason: "no carrier"))
            state.watch.networkReturned(event: state.log.count)
        }
    }

    func endLink() {
        world.with { state in
            state.link?.finish()
            state.link = nil
        }
    }

    func changeServers() {
        world.with { state in
            let host = (Site.allCases.randomElement(using: &state.random) ?? .first).rawValue
            switch Int.random(in: 0..<4, using: &state.random) {
            case 0:
                if state.downHosts.isEmpty { state.downHosts.insert(host) } else { state.downHosts = [] }
            case 1: state.server.mood = .drawn(&state.random)
            case 2:
                if state.random.happens(50) { state.server.loseBytes(random: &state.random) }
            default:
                if state.random.happens(20) { state.server.forget(random: &state.random) }
            }
            state.log.add("servers")
        }
    }
}

/// The kernel's reports about the link.
private struct SimulatedLink: LinkMonitor {
    let world: World

    func statuses() -> AsyncStream<LinkStatus> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LinkStatus.self, bufferingPolicy: .bufferingNewest(1))
        world.with { state in
            state.link = continuation
            continuation.yield(
                state.isLinkUp ? .up(generation: state.generation) : .down(reason: "no carrier"))
        }
        return stream
    }
}
