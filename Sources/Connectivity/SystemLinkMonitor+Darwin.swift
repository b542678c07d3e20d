#if canImport(Network)
    import Dispatch
    import Network
    import Synchronization

    /// Watches the network of this machine through the Network framework.
    public struct SystemLinkMonitor: LinkMonitor {
        private let onDiagnostic: @Sendable (String) -> Void

        /// - Parameter onDiagnostic: Receives a message, on any thread, if the network cannot be watched completely.
        public init(onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }) {
            self.onDiagnostic = onDiagnostic
        }

        public func statuses() -> AsyncStream<LinkStatus> {
            let tracker = Mutex(StatusTracker())
            return watch { path, continuation in
                let table = NetworkTable.ofThisMachine()
                if table == nil { onDiagnostic("the addresses of this machine cannot be read") }
                tracker.withLock { tracker in
                    guard let status = tracker.update(obstacle: path.obstacle, addresses: table?.addresses)
                    else { return }
                    continuation.yield(status)
                }
            }
        }

        func connectivity() -> AsyncStream<ConnectivityMonitor.Status> {
            watch { path, continuation in
                // The reader of this stream drops repetitions.
                continuation.yield(
                    path.obstacle.map(ConnectivityMonitor.Status.notReachable) ?? .reachable(path.interface))
            }
        }

        private func watch<Report: Sendable>(
            _ report: @escaping @Sendable (NWPath, AsyncStream<Report>.Continuation) -> Void
        ) -> AsyncStream<Report> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Report.self, bufferingPolicy: .bufferingNewest(1))
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { path in report(path, continuation) }
            continuation.onTermination = { _ in monitor.cancel() }
            monitor.start(queue: DispatchQueue(label: "network status"))
            return stream
        }
    }

    extension NWPath {
        fileprivate var obstacle: String? {
            switch status {
            // The first connection brings up a path that is available on demand, such as a VPN.
            case .satisfied, .requiresConnection: nil
            case .unsatisfied: availableInterfaces.isEmpty ? "no interface is connected" : "no route"
            @unknown default: nil
            }
        }

        /// The kind of the interface that the system prefers; `other` if there is no interface.
        fileprivate var interface: ConnectivityMonitor.Interface {
            switch availableInterfaces.first?.type {
            case .wiredEthernet: .wired
            case .wifi: .wireless
            case .cellular: .cellular
            case .loopback: .loopback
            case .other, nil: .other
            @unknown default: .other
            }
        }
    }
#endif
