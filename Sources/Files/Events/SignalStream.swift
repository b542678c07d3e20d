import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A stream of signals, which lose their default action, such as ending the process. A SIGHUP that the parent process
/// ignored stays ignored. SIGPIPE is ignored from now on.
package final class SignalStream: Sendable {
    package let values: AsyncStream<Int32>
    private let sources: Mutex<[any DispatchSourceSignal]>

    package init(_ numbers: [Int32]) {
        signal(SIGPIPE, SIG_IGN)
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        values = stream
        let queue = DispatchQueue(label: "signals")
        sources = Mutex(
            numbers.compactMap { number in
                // A parent that ignores SIGHUP, such as nohup, wants its children to ignore it too.
                var inherited = sigaction()
                sigaction(number, nil, &inherited)
                if number == SIGHUP, Self.isIgnored(inherited) { return nil }
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { continuation.yield(number) }
                // A signal before the registration would be lost.
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

/// The numbers of the signals that Ferry handles (`signal(7)`).
package enum Signal {
    package static let interrupt = SIGINT
    package static let terminate = SIGTERM
    package static let hangUp = SIGHUP
    package static let quit = SIGQUIT
    package static let suspend = SIGTSTP
    package static let resume = SIGCONT
    package static let windowChange = SIGWINCH

    /// Ends the process at once, with the exit status 128 plus the signal's number, as in shells.
    package static func exitNow(by signal: Int32) -> Never { _exit(128 + signal) }
}
