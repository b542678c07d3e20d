#if os(Linux)
    import Foundation
    import Glibc
    import FerryTestSupport
    import Testing

    @testable import FerryConnectivity

    /// Tests the real monitor in a network namespace with a pair of virtual interfaces.
    @Suite(
        .serialized,
        .enabled(if: NetworkNamespace.isPossible, "needs root and ip(8) to make network namespaces"))
    struct NamespaceTests {
        @Test func `a link that goes down is reported, and when it is back`() async throws {
            try await NetworkNamespace.with { namespace in
                var statuses = try await namespace.statuses()
                #expect(try await statuses.next() == .up(generation: 0))
                try namespace.ip("link", "set", "near", "down")
                // The interface loses its carrier a moment later, because of the pair's other end. The reason may
                // change then.
                #expect(try await statuses.next()?.isUp == false)
                try namespace.ip("link", "set", "near", "up")
                #expect(try await statuses.next { $0.isUp }?.isUp == true)
            }
        }

        @Test func `a cable pulled at the other end is reported`() async throws {
            try await NetworkNamespace.with { namespace in
                var statuses = try await namespace.statuses()
                #expect(try await statuses.next() == .up(generation: 0))
                try namespace.ip("link", "set", "far", "down")
                #expect(try await statuses.next() == .down(reason: "no interface is connected"))
                try namespace.ip("link", "set", "far", "up")
                #expect(try await statuses.next { $0.isUp } == .up(generation: 0))
            }
        }

        @Test func `an address that is taken away is reported`() async throws {
            try await NetworkNamespace.with { namespace in
                var statuses = try await namespace.statuses()
                #expect(try await statuses.next() == .up(generation: 0))
                try namespace.ip("address", "del", "10.97.0.1/24", "dev", "near")
                #expect(try await statuses.next() == .down(reason: "no address on any interface"))
            }
        }

        @Test func `an address that is replaced begins a generation`() async throws {
            try await NetworkNamespace.with { namespace in
                var statuses = try await namespace.statuses()
                #expect(try await statuses.next() == .up(generation: 0))
                try namespace.ip("address", "add", "10.98.0.1/24", "dev", "near")
                try namespace.ip("address", "del", "10.97.0.1/24", "dev", "near")
                #expect(try await statuses.next() == .up(generation: 1))
            }
        }

        @Test func `the last route that is taken away is reported`() async throws {
            try await NetworkNamespace.with { namespace in
                var statuses = try await namespace.statuses()
                #expect(try await statuses.next() == .up(generation: 0))
                try namespace.ip("route", "add", "default", "via", "10.97.0.2")
                try namespace.ip("route", "del", "default")
                try namespace.ip("route", "del", "10.97.0.0/24")
                #expect(try await statuses.next() == .down(reason: "no route"))
            }
        }

        @Test func `an IPv6 address alone is a network once it is checked`() async throws {
            try await NetworkNamespace.with { namespace in
                try namespace.ip("address", "del", "10.97.0.1/24", "dev", "near")
                var statuses = try await namespace.statuses()
                #expect(try await statuses.next() == .down(reason: "no address on any interface"))
                try namespace.ip("address", "add", "fd00:97::1/64", "dev", "near")
                #expect(try await statuses.next()?.isUp == true)
            }
        }

        @Test func `a destination without a route to it is unreachable at once`() async throws {
            try await NetworkNamespace.with { namespace in
                let answer = try await namespace.inside {
                    ConnectionAttempt.run(host: "192.0.2.1", port: 80, until: .now.advanced(by: .seconds(10)))
                }
                #expect(answer.reachability == .unreachable(reason: "network is unreachable"))
            }
        }

        @Test func `a destination that stays silent times out`() async throws {
            try await NetworkNamespace.with { namespace in
                let answer = try await namespace.inside {
                    ConnectionAttempt.run(
                        host: "10.97.0.2", port: 80, until: .now.advanced(by: .milliseconds(100)))
                }
                #expect(answer.reachability == .timedOut)
            }
        }

        @Test func `a storm of changes leaves the last state known`() async throws {
            try await NetworkNamespace.with { namespace in
                var statuses = try await namespace.statuses()
                #expect(try await statuses.next() == .up(generation: 0))
                let storm = (0..<400).flatMap { _ in ["link set near down", "link set near up"] }
                try namespace.ipBatch(storm + ["link set near down"])
                #expect(try await statuses.next { !$0.isUp } != nil)
                try namespace.ip("link", "set", "near", "up")
                #expect(try await statuses.next { $0.isUp } != nil)
            }
        }

        @Test func `N10 a socket that could not hold all says so, and gives the true state when asked again`()
            async throws
        {
            try await NetworkNamespace.with { namespace in
                let socket = try await namespace.inside { try NetlinkSocket() }
                defer { close(socket.descriptor) }
                let storm = (0..<400).flatMap { _ in ["link set near down", "link set near up"] }
                try namespace.ipBatch(storm + ["link set near down"])
                var view = NetworkView(port: socket.port)
                var losses = 0
                // The storm is over, so the number of remaining messages is limited.
                for _ in 0..<10_000 where !view.isComplete {
                    var outputs: [NetworkView.Output] = []
                    switch try socket.read() {
                    case .empty: break
                    case .lost:
                        losses += 1
                        outputs = [view.reload()]
                    case .messages(let messages): outputs = messages.map { view.handle($0) }
                    }
                    for case .send(let request) in outputs { try socket.send(request) }
                }
                #expect(losses > 0)
                #expect(view.table.obstacle == "no interface is connected")
            }
        }
    }
#endif
