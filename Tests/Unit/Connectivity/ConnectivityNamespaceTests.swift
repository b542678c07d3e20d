#if os(Linux)
    import FerryTestSupport
    import Testing

    @testable import FerryConnectivity

    /// Tests the public monitor in a network namespace with a pair of virtual interfaces.
    @Suite(
        .serialized, .timeLimit(.minutes(10)),
        .enabled(if: NetworkNamespace.isPossible, "needs root and ip(8) to make network namespaces"))
    struct ConnectivityNamespaceTests {
        private typealias Statuses = StatusReader<ConnectivityMonitor.Statuses>

        private func statuses(in namespace: NetworkNamespace) async throws -> Statuses {
            StatusReader(
                try await namespace.inside { ConnectivityMonitor { Issue.record("\($0)") }.statuses() })
        }

        // LeftOut.md, item 74
        @Test func `a link that goes down and up is reported, with its kind`() async throws {
            try await NetworkNamespace.with { namespace in
                var statuses = try await statuses(in: namespace)
                #expect(try await statuses.next() == .reachable(.wired))
                try namespace.ip("link", "set", "far", "down")
                #expect(try await statuses.next() == .notReachable(reason: "no interface is connected"))
                try namespace.ip("link", "set", "far", "up")
                #expect(try await statuses.next { $0.isReachable } == .reachable(.wired))
            }
        }

        @Test func `a listener receives what happens, and waiters resume`() async throws {
            try await NetworkNamespace.with { namespace in
                try namespace.ip("link", "set", "far", "down")
                let (told, continuation) = AsyncStream.makeStream(of: ConnectivityMonitor.Status.self)
                let monitor = try await namespace.inside {
                    let monitor = ConnectivityMonitor()
                    monitor.start { continuation.yield($0) }
                    return monitor
                }
                var listener = StatusReader(told)
                #expect(try await listener.next() == .notReachable(reason: "no interface is connected"))
                async let waited = monitor.waitUntilReachable(upTo: .seconds(15))
                try namespace.ip("link", "set", "far", "up")
                #expect(await waited)
                #expect(try await listener.next { $0.isReachable } == .reachable(.wired))
                monitor.stop()
            }
        }

        @Test func `the default route with the lowest metric decides, also when it is replaced`() async throws
        {
            try await NetworkNamespace.with { namespace in
                try namespace.ip("route", "add", "default", "dev", "near", "metric", "100")
                try namespace.addBridge("inner")
                try namespace.ip("address", "add", "10.99.0.1/24", "dev", "inner")
                var statuses = try await statuses(in: namespace)
                #expect(try await statuses.next() == .reachable(.wired))
                try namespace.ip("route", "add", "default", "dev", "inner", "metric", "50")
                #expect(try await statuses.next() == .reachable(.other))
                try namespace.ip("route", "replace", "default", "dev", "near", "metric", "50")
                #expect(try await statuses.next() == .reachable(.wired))
            }
        }

        @Test func `a network of IPv6 alone is one`() async throws {
            try await NetworkNamespace.with { namespace in
                try namespace.ip("address", "del", "10.97.0.1/24", "dev", "near")
                try namespace.ip("address", "add", "fd00:97::1/64", "dev", "near", "nodad")
                try namespace.ip("route", "add", "default", "via", "fd00:97::2", "dev", "near")
                var statuses = try await statuses(in: namespace)
                #expect(try await statuses.next { $0.isReachable } == .reachable(.wired))
            }
        }

        @Test(.enabled(if: NetworkNamespace.knows("macvlan"), "needs a kernel with macvlan"))
        func `an interface on top of another is reported as that one`() async throws {
            try await NetworkNamespace.with { namespace in
                try namespace.addBridge("inner")
                try namespace.ip("link", "add", "over", "link", "near", "type", "macvlan")
                try namespace.ip("link", "set", "over", "up")
                try namespace.ip("address", "add", "10.99.0.1/24", "dev", "over")
                try namespace.ip("route", "add", "default", "dev", "over")
                var statuses = try await statuses(in: namespace)
                #expect(try await statuses.next() == .reachable(.wired))
                try namespace.ip("address", "add", "10.98.0.1/24", "dev", "inner")
                try namespace.ip("route", "replace", "default", "dev", "inner")
                // The bridge's ports lead only to containers, so the kind of its link is unknown.
                #expect(try await statuses.next() == .reachable(.other))
            }
        }
    }

    extension NetworkNamespace {
        /// Returns true if the kernel can make an interface of this kind on top of another one.
        fileprivate static func knows(_ kind: String) -> Bool {
            guard let namespace = try? make() else { return false }
            defer { namespace.remove() }
            return (try? namespace.ip("link", "add", "over", "link", "near", "type", kind)) != nil
        }

        /// Makes a bridge with one port: a virtual pair, as containers have it.
        fileprivate func addBridge(_ name: String) throws {
            try ip("link", "add", name, "type", "bridge")
            try ip("link", "add", "port", "type", "veth", "peer", "name", "inside")
            try ip("link", "set", "port", "master", name)
            for link in [name, "port", "inside"] { try ip("link", "set", link, "up") }
        }
    }
#endif
