/// Keeps a `NetworkTable` up to date: decides what to request from the kernel, and applies the kernel's messages.
///
/// A dump is the kernel's list of a whole table. The kernel runs one dump at a time on a socket, so tables are
/// requested one after the other. A change that arrives during a dump is applied to the old table and to the dump.
struct NetworkView {
    enum Part: CaseIterable {
        case links, addresses, routes
    }

    struct Request: Hashable {
        var part: Part
        var sequence: UInt32
    }

    enum Output: Hashable {
        case nothing
        case send(Request)
        /// The kernel refuses the request, so watching cannot work.
        case refused(errno: Int32)
    }

    private struct Dump {
        var request: Request
        var table = NetworkTable()
        var routeCount = 0
        var isInterrupted = false
    }

    /// The port number of the socket, which marks the kernel's responses to its requests.
    let port: UInt32

    private(set) var table = NetworkTable()
    /// True if all tables have been read since the start or the last loss of messages, so that `table` is reliable.
    var isComplete: Bool { unread.isEmpty }

    private var unread = Set(Part.allCases)
    private var pending: [Part] = []
    private var dump: Dump?
    private var lastSequence: UInt32 = 0
    private var routeCount = 0
    private var repetitions = 0

    // A dump with gaps is repeated this many times. Then it is accepted, because changes arrive as messages anyway.
    private static let maximumRepetitions = 3
    // A larger route table is not read again after a route was removed: it never becomes empty at once.
    private static let routesWorthRereading = 10_000

    // ENOBUFS of Linux: too many messages wait to be read. The kernel continues the dump as soon as there is room.
    private static let noRoomYet: Int32 = 105

    init(port: UInt32) { self.port = port }

    /// Requests all tables, at the start and after messages were lost. Returns `nothing` while a dump is in progress.
    mutating func reload() -> Output {
        pending = Part.allCases
        unread = Set(Part.allCases)
        repetitions = 0
        // A dump in progress is repeated, because the lost messages may concern what it has read.
        dump?.isInterrupted = true
        return next()
    }

    /// Applies one message, and returns the next request; `refused` if the kernel refused the request in progress.
    mutating func handle(_ message: NetlinkMessage) -> Output {
        switch message.body {
        case .done:
            guard let dump, isReply(message) else { return .nothing }
            finish(dump, isInterrupted: dump.isInterrupted || message.isInterrupted)
            return next()
        case .failure(let errno):
            guard errno != 0, errno != Self.noRoomYet, isReply(message) else { return .nothing }
            return .refused(errno: errno)
        case .overrun: return reload()
        case .link, .linkRemoved, .address, .addressRemoved, .routes, .routesReplaced, .routeRemoved:
            if isReply(message), message.isInterrupted { dump?.isInterrupted = true }
            apply(message.body)
            return next()
        case .other: return .nothing
        }
    }

    private func isReply(_ message: NetlinkMessage) -> Bool {
        message.port == port && message.sequence == dump?.request.sequence
    }

    private mutating func next() -> Output {
        guard dump == nil, !pending.isEmpty else { return .nothing }
        lastSequence &+= 1
        let request = Request(part: pending.removeFirst(), sequence: lastSequence)
        dump = Dump(request: request)
        return .send(request)
    }

    private mutating func finish(_ finished: Dump, isInterrupted: Bool) {
        dump = nil
        switch finished.request.part {
        case .links: table.links = finished.table.links
        case .addresses: table.addresses = finished.table.addresses
        case .routes:
            table.routes = finished.table.routes
            routeCount = finished.routeCount
        }
        if isInterrupted, repetitions < Self.maximumRepetitions {
            repetitions += 1
            ask(for: finished.request.part)
        } else {
            repetitions = 0
            unread.remove(finished.request.part)
        }
    }

    private mutating func ask(for part: Part) {
        if !pending.contains(part) { pending.append(part) }
    }

    private mutating func apply(_ change: NetlinkMessage.Body) {
        if case .link(let link) = change, !link.isEnabled, table.links[link.index]?.isEnabled == true {
            // The kernel removed the IPv4 routes through this link without a message (fib_sync_down_dev in the kernel).
            ask(for: .routes)
        }
        table.apply(change)
        dump?.table.apply(change)
        switch change {
        case .routes: dump?.routeCount += 1
        // Neither message names the routes that the kernel removes with the address or link.
        case .addressRemoved, .linkRemoved: ask(for: .routes)
        case .routeRemoved, .routesReplaced:
            if routeCount <= Self.routesWorthRereading { ask(for: .routes) }
        default: break
        }
    }
}

extension NetworkTable {
    fileprivate mutating func apply(_ change: NetlinkMessage.Body) {
        switch change {
        case .link(let link): links[link.index] = link
        case .linkRemoved(let index): remove(link: index)
        case .address(let address, isUsable: true): addresses.insert(address)
        case .address(let address, isUsable: false), .addressRemoved(let address): addresses.remove(address)
        case .routes(let found), .routesReplaced(let found): routes?.formUnion(found)
        // A removed route is not taken out: without its prefix, it can equal another route that still exists.
        case .routeRemoved, .done, .failure, .overrun, .other: break
        }
    }
}
