import Testing

@testable import FerryConnectivity

@Suite struct NetworkViewTests {
    private let route = NetlinkMessage.Body.routes([NetworkRoute(family: .ipv4, link: 2)])
    private let address = NetlinkMessage.Body.address(.make(), isUsable: true)

    @Test func `the three tables are asked for one after the other`() {
        var view = NetworkView(port: 9)
        #expect(view.reload() == .send(.init(part: .links, sequence: 1)))
        #expect(view.handle(.answer(.link(.make()), to: 1)) == .nothing)
        #expect(view.handle(.answer(.done, to: 1)) == .send(.init(part: .addresses, sequence: 2)))
        #expect(view.handle(.answer(.done, to: 2)) == .send(.init(part: .routes, sequence: 3)))
        #expect(!view.isComplete)
        #expect(view.handle(.answer(.done, to: 3)) == .nothing)
        #expect(view.isComplete)
    }

    @Test func `the end of another program's dump ends nothing`() {
        var view = NetworkView(port: 9)
        _ = view.reload()
        #expect(view.handle(.answer(.done, to: 1, port: 8)) == .nothing)
        #expect(view.handle(.answer(.done, to: 5)) == .nothing)
    }

    @Test func `a link that goes down is known at once`() {
        var view = NetworkView.loaded()
        _ = view.handle(.event(.link(.make(isConnected: false))))
        #expect(view.table.obstacle == "no interface is connected")
    }

    @Test func `an address that is taken away is known at once`() {
        var view = NetworkView.loaded()
        _ = view.handle(.event(.addressRemoved(.make())))
        #expect(view.table.obstacle == "no address on any interface")
    }

    @Test func `an address under a duplicate check is not counted until it has passed`() {
        var view = NetworkView.loaded()
        _ = view.handle(.event(.address(.make(), isUsable: false)))
        #expect(view.table.obstacle == "no address on any interface")
        _ = view.handle(.event(address))
        #expect(view.table.obstacle == nil)
    }

    @Test func `a deleted route is believed only after reading all routes again`() {
        var view = NetworkView.loaded()
        #expect(view.handle(.event(.routeRemoved)) == .send(.init(part: .routes, sequence: 4)))
        #expect(view.table.obstacle == nil)
        _ = view.handle(.answer(.done, to: 4))
        #expect(view.table.obstacle == "no route")
    }

    @Test func `a replaced route counts at once, and the one it replaced goes with the next reading`() {
        var view = NetworkView.loaded()
        let replacement = NetworkRoute(family: .ipv4, link: 3)
        #expect(
            view.handle(.event(.routesReplaced([replacement]))) == .send(.init(part: .routes, sequence: 4)))
        #expect(view.table.routes == [NetworkRoute(family: .ipv4, link: 2), replacement])
        _ = view.handle(.answer(.routes([replacement]), to: 4))
        _ = view.handle(.answer(.done, to: 4))
        #expect(view.table.routes == [replacement])
    }

    @Test func `routes deleted during a reading are read once more`() {
        var view = NetworkView.loaded()
        _ = view.handle(.event(.routeRemoved))
        #expect(view.handle(.event(.routeRemoved)) == .nothing)
        #expect(view.handle(.event(.routeRemoved)) == .nothing)
        _ = view.handle(.answer(route, to: 4))
        #expect(view.handle(.answer(.done, to: 4)) == .send(.init(part: .routes, sequence: 5)))
        #expect(view.handle(.answer(.done, to: 5)) == .nothing)
    }

    @Test func `a link that is switched off takes IPv4 routes away in silence`() {
        var view = NetworkView.loaded()
        var link = NetworkLink.make(isConnected: false)
        link.isEnabled = false
        #expect(view.handle(.event(.link(link))) == .send(.init(part: .routes, sequence: 4)))
    }

    @Test func `an event during a reading is not undone by its end`() {
        var view = NetworkView.loaded()
        _ = view.reload()
        _ = view.handle(.answer(.link(.make(isConnected: true)), to: 4))
        _ = view.handle(.event(.link(.make(isConnected: false))))
        _ = view.handle(.answer(.done, to: 4))
        #expect(view.table.links[2]?.isConnected == false)
    }

    @Test func `N10 lost messages make everything be read again before it is believed`() {
        var view = NetworkView.loaded()
        #expect(view.handle(.event(.overrun)) == .send(.init(part: .links, sequence: 4)))
        #expect(!view.isComplete)
        for sequence: UInt32 in 4...6 { _ = view.handle(.answer(.done, to: sequence)) }
        #expect(view.isComplete)
        #expect(view.table.obstacle == "no network interface")
    }

    @Test func `N10 messages lost during a reading wait for its end`() {
        var view = NetworkView(port: 9)
        _ = view.reload()
        #expect(view.reload() == .nothing)
        #expect(view.handle(.answer(.done, to: 1)) == .send(.init(part: .links, sequence: 2)))
    }

    @Test func `N10 a reading that lost messages is not believed`() {
        var view = NetworkView.loaded()
        _ = view.reload()
        for sequence: UInt32 in 4...5 { _ = view.handle(.answer(.done, to: sequence)) }
        // The overrun comes while the routes are read.
        #expect(view.handle(.event(.overrun)) == .nothing)
        for sequence: UInt32 in 6...8 {
            _ = view.handle(.answer(.done, to: sequence))
            #expect(!view.isComplete)
        }
        _ = view.handle(.answer(.done, to: 9))
        #expect(view.isComplete)
    }

    @Test func `N10 an interrupted reading is repeated, but not for ever`() {
        var view = NetworkView(port: 9)
        _ = view.reload()
        var requests: [NetworkView.Part] = []
        for sequence: UInt32 in 1...20 {
            guard case .send(let request) = view.handle(.answer(.done, to: sequence, isInterrupted: true))
            else {
                break
            }
            requests.append(request.part)
        }
        #expect(view.isComplete)
        #expect(requests.count < 12)
    }

    @Test func `N10 a refused request ends the watching`() {
        var view = NetworkView(port: 9)
        _ = view.reload()
        #expect(view.handle(.answer(.failure(errno: 1), to: 1)) == .refused(errno: 1))
    }

    @Test func `a reading that has to wait for room is not refused and not asked for again`() {
        var view = NetworkView(port: 9)
        _ = view.reload()
        #expect(view.handle(.answer(.failure(errno: 105), to: 1)) == .nothing)
        #expect(view.handle(.answer(.done, to: 1)) == .send(.init(part: .addresses, sequence: 2)))
    }

    @Test func `an acknowledgement is no refusal`() {
        var view = NetworkView(port: 9)
        _ = view.reload()
        #expect(view.handle(.answer(.failure(errno: 0), to: 1)) == .nothing)
    }

    @Test func `a router's table is not read again for each deletion`() {
        var view = NetworkView(port: 9)
        _ = view.reload()
        _ = view.handle(.answer(.done, to: 1))
        _ = view.handle(.answer(.done, to: 2))
        for _ in 0...10_000 { _ = view.handle(.answer(route, to: 3)) }
        _ = view.handle(.answer(.done, to: 3))
        #expect(view.handle(.event(.routeRemoved)) == .nothing)
    }
}

extension NetworkView {
    /// Returns a view that has read one link with an address and a route, in requests 1 to 3.
    fileprivate static func loaded() -> NetworkView {
        var view = NetworkView(port: 9)
        _ = view.reload()
        let parts: [NetlinkMessage.Body] = [
            .link(.make()), .address(.make(), isUsable: true),
            .routes([NetworkRoute(family: .ipv4, link: 2)]),
        ]
        for (sequence, body) in zip(UInt32(1)..., parts) {
            _ = view.handle(.answer(body, to: sequence))
            _ = view.handle(.answer(.done, to: sequence))
        }
        return view
    }
}

extension NetlinkMessage {
    fileprivate static func answer(
        _ body: Body, to sequence: UInt32, port: UInt32 = 9, isInterrupted: Bool = false
    ) -> NetlinkMessage {
        NetlinkMessage(body: body, sequence: sequence, port: port, isInterrupted: isInterrupted)
    }

    /// Returns the kernel's message about a change that another program made.
    fileprivate static func event(_ body: Body) -> NetlinkMessage {
        NetlinkMessage(body: body, sequence: 77, port: 1234, isInterrupted: false)
    }
}
