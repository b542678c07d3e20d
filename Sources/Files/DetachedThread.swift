#if canImport(Glibc)
    import CFerryFiles
    import Dispatch
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The threads outside of Swift's pool, for work that may block for any length of time.
package enum DetachedThread {
    /// Blocks the calling thread, not one of Swift's pool, for at most 71 minutes.
    package static func sleep(for time: Duration) { usleep(UInt32(clamping: Int(time / .microseconds(1)))) }

    /// Blocks the calling thread until the process ends.
    package static func waitForever() -> Never { while true { pause() } }

    /// Runs `work` on a new thread, or on one of Dispatch if none can be started.
    ///
    /// - Parameter name: The name of the thread in debuggers and `top`; at most 15 bytes.
    package static func start(
        name: String? = nil, stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void
    ) {
        #if canImport(Darwin)
            let thread = Thread(block: work)
            thread.name = name
            if let stackSize { thread.stackSize = stackSize }
            thread.start()
        #else
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            defer { pthread_attr_destroy(&attributes) }
            pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
            if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
            let task = Unmanaged.passRetained(ThreadWork(name: name, work))
            var thread = pthread_t()
            let code = pthread_create(
                &thread, &attributes,
                { argument in
                    guard let argument else { return nil }
                    Unmanaged<ThreadWork>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                }, task.toOpaque())
            guard code != 0 else { return }
            task.release()
            // The user's limit on threads is reached (EAGAIN). Dispatch may still have a thread for the work.
            DispatchQueue.global().async(execute: work)
        #endif
    }
}

#if !canImport(Darwin)
    private final class ThreadWork: Sendable {
        private let name: String?
        private let work: @Sendable () -> Void

        init(name: String?, _ work: @escaping @Sendable () -> Void) {
            self.name = name
            self.work = work
        }

        func run() {
            if let name { pthread_setname_np(pthread_self(), name) }
            work()
        }
    }
#endif
