#if os(Linux)
    import class Foundation.Thread
    import Glibc
    import Synchronization

    /// Watches the network of this machine: through the kernel's routing socket, or, where that is not allowed, by looking
    /// at the addresses every two seconds.
    ///
    /// It watches the network namespace of the thread that calls `statuses()`.
    public struct SystemLinkMonitor: LinkMonitor {
        private let onDiagnostic: @Sendable (String) -> Void

        /// - Parameter onDiagnostic: Receives a sentence when watching works less well than it should. Called from any
        ///   thread.
        public init(onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }) {
            self.onDiagnostic = onDiagnostic
        }

        public func statuses() -> AsyncStream<LinkStatus> { watch(with: StatusTracker()) }

        /// The same, with the interface that carries the network and without generations.
        func connectivity() -> AsyncStream<ConnectivityMonitor.Status> {
            watch(with: ConnectivityTracker())
        }

        private func watch<Tracker: NetworkTracker>(with tracker: Tracker) -> AsyncStream<Tracker.Report> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Tracker.Report.self, bufferingPolicy: .bufferingNewest(1))
            do throws(NetlinkSocket.Failure) {
                let socket = try NetlinkSocket()
                let alarm: Alarm
                do throws(NetlinkSocket.Failure) {
                    alarm = try Alarm()
                } catch {
                    close(socket.descriptor)
                    throw error
                }
                continuation.onTermination = { _ in alarm.ring() }
                // A thread of its own, since it spends its life waiting in the kernel.
                Thread.detachNewThread { watch(socket, until: alarm, with: tracker, continuation) }
            } catch {
                fallBack(error, from: tracker, to: continuation)
            }
            return stream
        }

        private func watch<Tracker: NetworkTracker>(
            _ socket: NetlinkSocket, until alarm: Alarm, with tracker: Tracker,
            _ continuation: AsyncStream<Tracker.Report>.Continuation
        ) {
            defer {
                alarm.release()
                close(socket.descriptor)
            }
            var tracker = tracker
            do throws(NetlinkSocket.Failure) {
                var view = NetworkView(port: socket.port)
                try send(view.reload(), over: socket)
                while try alarm.waits(for: socket.descriptor) {
                    switch try socket.read() {
                    case .empty: continue
                    case .lost: try send(view.reload(), over: socket)
                    case .messages(let messages):
                        for message in messages { try send(view.handle(message), over: socket) }
                    }
                    guard view.isComplete else { continue }
                    if let status = tracker.update(view.table) { continuation.yield(status) }
                }
            } catch {
                fallBack(error, from: tracker, to: continuation)
            }
        }

        private func send(
            _ output: NetworkView.Output, over socket: NetlinkSocket
        ) throws(NetlinkSocket.Failure) {
            switch output {
            case .nothing: break
            case .send(let request): try socket.send(request)
            case .refused(let errno): throw NetlinkSocket.Failure(call: "dump", errno: errno)
            }
        }

        private func fallBack<Tracker: NetworkTracker>(
            _ failure: NetlinkSocket.Failure, from tracker: Tracker,
            to continuation: AsyncStream<Tracker.Report>.Continuation
        ) {
            let reason = String(cString: strerror(failure.errno))
            onDiagnostic(
                "The kernel does not report network changes (netlink \(failure.call): \(reason)); "
                    + "looking at the addresses every 2 s instead.")
            AddressPollMonitor(clock: ContinuousClock()).feed(continuation, from: tracker)
        }
    }

    /// Wakes a thread that waits in the kernel, once and for good: a socket whose other end is closed.
    private final class Alarm: Sendable {
        private let near: Int32
        private let far: Mutex<Int32?>

        init() throws(NetlinkSocket.Failure) {
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            guard socketpair(AF_UNIX, type, 0, &ends) == 0 else {
                throw NetlinkSocket.Failure(call: "socketpair", errno: errno)
            }
            near = ends[0]
            far = Mutex(ends[1])
        }

        func ring() {
            far.withLock { far in
                if let descriptor = far { close(descriptor) }
                // Once closed, the number may belong to another file.
                far = nil
            }
        }

        /// Called by the thread that waits, when it is done.
        func release() {
            ring()
            close(near)
        }

        /// Waits until `other` can be read, however long.
        /// - Returns: false once the alarm has rung.
        func waits(for other: Int32) throws(NetlinkSocket.Failure) -> Bool {
            var waiting = [
                pollfd(fd: near, events: 0, revents: 0),
                pollfd(fd: other, events: Int16(POLLIN), revents: 0),
            ]
            while poll(&waiting, nfds_t(waiting.count), -1) < 0 {
                guard errno == EINTR else { throw NetlinkSocket.Failure(call: "poll", errno: errno) }
            }
            return waiting[0].revents == 0
        }
    }
#endif
