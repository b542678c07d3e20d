#if os(Linux)
    import FerryFiles
    import Glibc

    /// Watches the network of this machine through the kernel's routing socket (netlink), in the network namespace of
    /// the thread that calls `statuses()`. Without that socket, as in a sandbox, it reads the addresses every two
    /// seconds.
    public struct SystemLinkMonitor: LinkMonitor {
        private let onDiagnostic: @Sendable (String) -> Void

        /// - Parameter onDiagnostic: Receives a message, on any thread, if the network cannot be watched completely.
        public init(onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }) {
            self.onDiagnostic = onDiagnostic
        }

        public func statuses() -> AsyncStream<LinkStatus> { watch(with: StatusTracker()) }

        func connectivity() -> AsyncStream<ConnectivityMonitor.Status> { watch(with: ConnectivityTracker()) }

        private func watch<Tracker: NetworkTracker>(with tracker: Tracker) -> AsyncStream<Tracker.Report> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Tracker.Report.self, bufferingPolicy: .bufferingNewest(1))
            do throws(SystemCallError) {
                let socket = try NetlinkSocket()
                let wakeup: WakeupPipe
                do throws(SystemCallError) { wakeup = try WakeupPipe() } catch {
                    close(socket.descriptor)
                    throw error
                }
                continuation.onTermination = { _ in wakeup.ring() }
                // A separate thread, because the loop blocks in the kernel.
                DetachedThread.start { watch(socket, until: wakeup, with: tracker, continuation) }
            } catch {
                fallBack(error, from: tracker, to: continuation)
            }
            return stream
        }

        private func watch<Tracker: NetworkTracker>(
            _ socket: NetlinkSocket, until wakeup: WakeupPipe, with tracker: Tracker,
            _ continuation: AsyncStream<Tracker.Report>.Continuation
        ) {
            defer { close(socket.descriptor) }
            var tracker = tracker
            do throws(SystemCallError) {
                var view = NetworkView(port: socket.port)
                try send(view.reload(), over: socket)
                while true {
                    let event = try wakeup.wait(for: socket.descriptor)
                    if event.isRung { return }
                    guard event.isReadable else { continue }
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

        private func send(_ output: NetworkView.Output, over socket: NetlinkSocket) throws(SystemCallError) {
            switch output {
            case .nothing: break
            case .send(let request): try socket.send(request)
            case .refused(let errno): throw SystemCallError(call: "dump", code: Errno(rawValue: errno))
            }
        }

        private func fallBack<Tracker: NetworkTracker>(
            _ failure: SystemCallError, from tracker: Tracker,
            to continuation: AsyncStream<Tracker.Report>.Continuation
        ) {
            onDiagnostic(
                "the kernel does not report network changes (netlink \(failure)); "
                    + "looking at the addresses every 2 s instead")
            AddressPollMonitor(clock: ContinuousClock()).feed(continuation, from: tracker)
        }
    }
#endif
