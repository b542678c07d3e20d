import Dispatch
import FerryFiles
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The signals as a stream, in place of their default actions. SIGPIPE is ignored from here on.
final class SignalStream: Sendable {
    let values: AsyncStream<Int32>
    private let sources: Mutex<[any DispatchSourceSignal]>

    init(_ numbers: [Int32]) {
        signal(SIGPIPE, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        values = stream
        let queue = DispatchQueue(label: "signals")
        sources = Mutex(
            numbers.compactMap { number in
                // A parent that ignores a signal, as nohup does, wants it ignored here too.
                var inherited = sigaction()
                sigaction(number, nil, &inherited)
                if number == SIGHUP, Self.isIgnored(inherited) { return nil }
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { continuation.yield(number) }
                // Signals before the registration are lost, so readiness must not be reported earlier.
                let isWatched = DispatchSemaphore(value: 0)
                source.setRegistrationHandler { isWatched.signal() }
                source.resume()
                isWatched.wait()
                return source
            })
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sigaction_u.__sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    deinit {
        for source in sources.withLock({ $0 }) { source.cancel() }
    }
}
