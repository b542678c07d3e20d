import Dispatch
import Foundation
import Synchronization

/// Signals as a stream, in place of their default actions. SIGPIPE is ignored from here on.
final class SignalStream: Sendable {
    let values: AsyncStream<Int32>
    private let sources: Mutex<[any DispatchSourceSignal]>

    init(_ numbers: [Int32]) {
        signal(SIGPIPE, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        values = stream
        let queue = DispatchQueue(label: "signals")
        sources = Mutex(
            numbers.map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { continuation.yield(number) }
                source.resume()
                return source
            })
    }

    deinit {
        for source in sources.withLock({ $0 }) { source.cancel() }
    }
}
