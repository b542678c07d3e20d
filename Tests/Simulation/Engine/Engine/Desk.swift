import FerryProtocols
import FerryTestSupport
import FerryUploads
import Synchronization

/// Answers the lookups that the queue makes while it handles an event: hosts, progress and random numbers.
final class Desk: Sendable {
    private struct State {
        var random: SeededGenerator
        var progress: [Upload.ID: RunProgress] = [:]
    }

    private let hosts: [String: UploadHost]
    private let resuming: Set<String>
    private let state: Mutex<State>

    init(_ sites: [Site], seed: UInt64) {
        hosts = Dictionary(uniqueKeysWithValues: sites.map { ($0.url, $0.uploadHost) })
        resuming = Set(
            sites.map(\.protocolName).filter { ProtocolCatalog.entry(named: $0)?.traits.resumes ?? false })
        state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    var lookups: QueueLookups {
        QueueLookups(
            host: { [hosts] upload in
                hosts[upload.target.url] ?? UploadHost(name: "unknown", port: 0, isLocal: false)
            },
            resumes: { [resuming] in resuming.contains($0.target.protocolName) },
            progress: { id in self.state.withLock { $0.progress[id] } },
            random: { self.drawn($0) }, fewestInRanges: 3)
    }

    func note(_ progress: RunProgress?, of id: Upload.ID) { state.withLock { $0.progress[id] = progress } }

    /// Returns a random number from `range`, rounded to 0.001 where the range allows it.
    private func drawn(_ range: ClosedRange<Double>) -> Double {
        let drawn = state.withLock { Double.random(in: range, using: &$0.random) }
        return min(range.upperBound, max(range.lowerBound, (drawn * 1000).rounded() / 1000))
    }
}
