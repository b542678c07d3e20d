#if canImport(Network)
    import Dispatch
    import Network
    import Synchronization

    /// Watches the network of this machine through the Network framework.
    public struct SystemLinkMonitor: LinkMonitor {
        private let onDiagnostic: @Sendable (String) -> Void

        /// - Parameter onDiagnostic: Receives a sentence when watching works less well than it should. Called from any
        ///   thread.
        public init(onDiagnostic: @escaping @Sendable (String) -> Void = { _ in }) {
            self.onDiagnostic = onDiagnostic
        }

        public func statuses() -> AsyncStream<LinkStatus> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: LinkStatus.self, bufferingPolicy: .bufferingNewest(1))
            let monitor = NWPathMonitor()
            let tracker = Mutex(StatusTracker())
            monitor.pathUpdateHandler = { [onDiagnostic] path in
                let table = NetworkTable.ofThisMachine()
                if table == nil { onDiagnostic("The addresses of this machine cannot be read.") }
                tracker.withLock { tracker in
                    let addresses = table?.addresses ?? []
                    guard let status = tracker.update(obstacle: path.obstacle, addresses: addresses) else {
                        return
                    }
                    continuation.yield(status)
                }
            }
            continuation.onTermination = { _ in monitor.cancel() }
            monitor.start(queue: DispatchQueue(label: "network status"))
            return stream
        }
    }

    extension NWPath {
        fileprivate var obstacle: String? {
            switch status {
            // A path that can be brought up on demand, such as a VPN, is brought up by the first connection.
            case .satisfied, .requiresConnection: nil
            case .unsatisfied: availableInterfaces.isEmpty ? "no interface is connected" : "no route"
            @unknown default: nil
            }
        }
    }
#endif
