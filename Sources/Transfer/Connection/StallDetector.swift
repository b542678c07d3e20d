import FerryProtocols
import NIOCore
import NIOHTTP1
import NIOPosix

/// Watches one connection, exchange after exchange, as a handler between the HTTP parser and the client. An exchange is
/// a request with its response.
///
/// The detector closes the connection if bytes are in flight and none of them arrives within the stall limit
/// (`StallLimit`). The kernel alone would take about 15 minutes. A byte has arrived when the other side acknowledges
/// it, not when a write call accepts it. So a slow link with a large chunk in flight does not count as stalled. The
/// response timeout runs only when all bytes are acknowledged. Each interim response (1xx) restarts it, but the head
/// must arrive within ten response timeouts (`ResponseTime.longest`).
///
/// If the connection is dead but the server accepts new connections, the dead connection is closed within seconds.
///
/// Once the head of a response has arrived, its body has a total time limit (`ResponseTime`), even if bytes arrive
/// steadily.
final class StallDetector: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The internal header field whose value identifies the exchange's observer. This handler removes the field before
    /// the request is sent.
    static let exchangeField = "Ferry-Exchange"
    /// The longest time between two checks of the socket.
    private static let watchInterval = Duration.milliseconds(500)

    private enum ResponseState {
        /// The head has not arrived. `last` is the time of the last interim response (1xx).
        case awaited(last: NIODeadline)
        case begun(ResponseTime)
        case complete
    }

    private enum RequestBody { case underWay, complete }

    private struct Running {
        var observer: (any ExchangeObserver)?
        var request = RequestBody.underWay
        var response = ResponseState.awaited(last: .distantPast)
        var interim: InterimCount
        var silence: DeadPeerDetector
        var stall: StallLimit
        let began = NIODeadline.now()
        /// The number of bytes that were acknowledged on the connection before this exchange.
        let acknowledged: UInt64
        var sent = SentCount()

        init(_ observer: (any ExchangeObserver)?, stall: Duration, since movement: Movement) {
            self.observer = observer
            acknowledged = movement.acknowledged
            interim = InterimCount(written: movement.written, acknowledged: movement.acknowledged)
            let breakCostsLittle = observer?.breakCostsLittle ?? false
            silence = DeadPeerDetector(breakCostsLittle: breakCostsLittle)
            self.stall = StallLimit(stall: stall, breakCostsLittle: breakCostsLittle)
        }
    }

    /// The counters of writes, of reads and of bytes. If one of them changes, the connection makes progress.
    /// Interim responses are not counted.
    private struct Movement: Equatable {
        var writes: UInt64 = 0
        /// The number of bytes of request bodies that the kernel has accepted.
        var written: UInt64 = 0
        var reads: UInt64 = 0
        var acknowledged: UInt64 = 0
    }

    private let timeouts: HTTPClientTransport.Timeouts
    private let observer: (String) -> (any ExchangeObserver)?
    /// The exchange under way; nil while the connection is idle.
    private var running: Running?
    private var exchangesServed = 0
    private var pendingWrites = 0
    private var movement = Movement()
    private var lastSeen = Movement()
    private var lastMoved = NIODeadline.now()
    /// The time at which the connection's network went away; nil while the network is available.
    private var linkLeft: NIODeadline?
    /// The maximum time between two retransmissions, as it is set in the kernel now.
    private var backoff = TCPInfo.longestBackoff
    private var unsentLimit: Int?
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(timeouts: HTTPClientTransport.Timeouts, observer: @escaping (String) -> (any ExchangeObserver)?) {
        self.timeouts = timeouts
        self.observer = observer
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        switch part {
        case .head(var head):
            let name = head.headers.first(name: Self.exchangeField)
            head.headers.remove(name: Self.exchangeField)
            part = .head(head)
            let running = Running(name.flatMap(observer), stall: timeouts.stall, since: movement)
            self.running = running
            lastMoved = .now()
            watch(context)
            limitUnsent(to: running.observer?.unsentLimit, context.channel)
            running.observer?.didStart(onKeptConnection: exchangesServed > 0)
        case .body: break
        case .end: requestIsComplete()
        }
        pendingWrites += 1
        let bodyBytes: Int? = if case .body(let data) = part { data.readableBytes } else { nil }
        let promise = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let observer = running?.observer
        promise.futureResult.whenComplete { result in
            bound.value.pendingWrites -= 1
            bound.value.movement.writes += 1
            switch result {
            case .success:
                guard let bodyBytes else { break }
                bound.value.movement.written += UInt64(bodyBytes)
                bound.value.countSent { $0.took($1) }
            case .failure(let error):
                observer?.didFailToWrite(error)
                bound.value.tellSent()
            }
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard var running else { return context.fireChannelRead(data) }
        let part = unwrapInboundIn(data)
        // NIO takes a status below 100 for that of a final response, and AsyncHTTPClient (1.37.0) for that of an interim
        // one. It would end the process at the end of such a response.
        if case .head(let head) = part, head.status.code < 100 {
            return fail(context, NotHTTP("a status below 100"))
        }
        if case (.head(let head), .awaited) = (part, running.response), (100..<200).contains(head.status.code)
        {
            self.running?.response = .awaited(last: .now())
            let written = movement.written
            withCounters { $0.interim.add(written: written, acknowledged: $1.acknowledgedBytes) }
            if self.running?.interim.isExceeded == true {
                return fail(context, NotHTTP("interim answers without end"))
            }
            return context.fireChannelRead(data)
        }
        movement.reads += 1
        switch (part, running.response) {
        case (.head(let head), _):
            self.running?.response = .begun(
                ResponseTime(
                    status: head.status.code, response: timeouts.response,
                    mayTakeLong: running.observer?.responseMayTakeLong ?? false, now: Self.uptime))
        case (.body(let buffer), .begun(var time)):
            time.received(buffer.readableBytes, now: Self.uptime)
            self.running?.response = .begun(time)
        case (.body, _): break
        case (.end, let before):
            running.response = .complete
            self.running = running.request == .complete ? nil : running
            if self.running == nil { exchangesServed += 1 }
            running.observer?.didReceiveEnd()
            // The client may start the next exchange within this call, so the state of this exchange is updated before.
            context.fireChannelRead(data)
            if running.request == .underWay, case .begun(let time) = before, time.status >= 300 {
                running.observer?.didRefuseRest()
            }
            return
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        // If these were the server's last bytes, the socket is closed next, so the kernel's counters must be read now.
        countSent { $0.update($1) }
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        countSent { $0.update($1) }
        tellSent()
        context.fireErrorCaught(error)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        countSent { $0.close($1) }
        tellSent()
        context.close(mode: mode, promise: promise)
    }

    /// Closes the connection because of `reason`. After a sleep of the machine, a connection with a running request
    /// stays open, since it possibly still works.
    func invalidate(because reason: ConnectionInvalidation) {
        guard let context else { return }
        switch (reason, running) {
        case (_, nil): context.close(promise: nil)
        case (.addressLost, _?): fail(context, ConnectionAddressLost())
        case (.slept, _?): break
        }
    }

    /// Records that the connection's network went away or returned. While the network is away, the connection is not
    /// closed as stalled. After the return, the time without progress starts again from zero, and its limit is longer.
    func linkChanged(isAway: Bool) {
        if isAway {
            linkLeft = linkLeft ?? .now()
        } else if let left = linkLeft {
            linkLeft = nil
            lastMoved = .now()
            running?.stall.linkReturned(after: Duration(NIODeadline.now() - left))
        }
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func channelInactive(context: ChannelHandlerContext) {
        tellSent()
        running = nil
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        timer?.cancel()
        timer = nil
    }

    private static var uptime: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

    private func requestIsComplete() {
        running?.request = .complete
        guard case .complete? = running?.response else { return }
        running = nil
        exchangesServed += 1
    }

    /// Reads the kernel's counters. Calls `change` with them and with the count of sent bytes, so that `change` can
    /// update the count. Does nothing if no exchange is running.
    private func countSent(_ change: @escaping @Sendable (inout SentCount, TCPInfo) -> Void) {
        withCounters { change(&$0.sent, $1) }
    }

    /// Reads the kernel's counters. Calls `change` with them and with the running exchange, so that `change` can update
    /// the exchange. Does nothing if no exchange is running.
    private func withCounters(_ change: @escaping @Sendable (inout Running, TCPInfo) -> Void) {
        guard let context, running != nil else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        // On the event loop the result is available at once.
        TCPInfo.read(context.channel).whenSuccess { info in
            guard var running = bound.value.running else { return }
            change(&running, info)
            bound.value.running = running
        }
    }

    /// Reports to the observer that the connection broke, with the difference between sent and written bytes. Does
    /// nothing if the difference is unknown, or if it was already reported for this exchange.
    private func tellSent() {
        guard let difference = running?.sent.difference else { return }
        running?.sent = SentCount()
        running?.observer?.didBreak(sending: difference)
    }

    private func fail(_ context: ChannelHandlerContext, _ error: any Error) {
        countSent { $0.update($1) }
        tellSent()
        running = nil
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    private func watch(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        let interval = max(
            .milliseconds(1), min(Self.watchInterval, min(timeouts.stall, timeouts.response) / 4))
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: TimeAmount(interval)) {
            let (detector, context) = bound.value
            detector.timer = nil
            guard detector.running != nil, context.channel.isActive else { return }
            TCPInfo.read(context.channel).whenSuccess { progress in
                let (detector, context) = bound.value
                detector.judge(progress, context)
            }
        }
    }

    private func judge(_ progress: TCPInfo, _ context: ChannelHandlerContext) {
        guard var running, context.channel.isActive else { return }
        hurry(progress, context.channel)
        let verdict = running.silence.take(progress)
        running.sent.update(progress)
        self.running = running
        if verdict == .compare { compare(context) }
        movement.acknowledged = progress.acknowledgedBytes
        let now = NIODeadline.now()
        if movement != lastSeen {
            lastSeen = movement
            lastMoved = now
            running.stall.moved()
            self.running = running
        } else if linkLeft != nil {
            lastMoved = now
        }
        if case .begun(let time) = running.response, time.isOver(Self.uptime) {
            return fail(context, ResponseTimedOut())
        }
        let isSending = pendingWrites > 0 || progress.hasBytesInFlight
        switch (running.response, running.request) {
        case _ where isSending:
            let limit = running.stall.limit(
                progress,
                acknowledged: progress.acknowledgedBytes
                    - min(progress.acknowledgedBytes, running.acknowledged),
                movingFor: Duration(max(.zero, lastMoved - running.began)))
            if now - lastMoved >= TimeAmount(limit) { return fail(context, ConnectionStalled()) }
        case (.awaited, .underWay), (.complete, .underWay):
            // The file, the disk or the bandwidth limit delays the transfer, not the link.
            lastMoved = now
        case (.begun(let time), .underWay) where time.status < 300:
            lastMoved = now
        case (.awaited(let last), .complete):
            // An interim response says that the server still works on the final one (102, RFC 2518 §10.1).
            let isSilent = now - max(lastMoved, last) >= TimeAmount(timeouts.response)
            if isSilent || now - lastMoved >= TimeAmount(ResponseTime.longest(timeouts.response)) {
                return fail(context, ResponseTimedOut())
            }
        case (.begun, _), (.complete, .complete):
            if now - lastMoved >= TimeAmount(timeouts.response) { return fail(context, ResponseTimedOut()) }
        }
        watch(context)
    }

    private func limitUnsent(to limit: Int?, _ channel: any Channel) {
        guard limit != unsentLimit else { return }
        unsentLimit = limit
        TCPInfo.limitUnsent(of: channel, to: limit)
    }

    /// Sets the kernel's maximum time between two retransmissions, if another value is wanted now. While the peer is
    /// silent, a short time is wanted, because the link can return at any moment.
    private func hurry(_ progress: TCPInfo, _ channel: any Channel) {
        guard let wanted = progress.wantedBackoff, wanted != backoff else { return }
        backoff = wanted
        TCPInfo.boundBackoff(of: channel, to: wanted)
    }

    /// Tests whether the current connection is dead: opens a new connection to the same address, and reports the result
    /// to the detector. If the detector finds that the current connection is dead, closes the current connection.
    private func compare(_ context: ChannelHandlerContext) {
        guard let address = context.channel.remoteAddress else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        // The kernel retries the connection after one second; a longer timeout would only delay the next comparison.
        ClientBootstrap(group: context.eventLoop).connectTimeout(.seconds(2)).connect(to: address)
            .flatMap { other in
                other.close(promise: nil)
                return TCPInfo.read(bound.value.1.channel)
            }.whenComplete { result in
                let (detector, context) = bound.value
                guard context.channel.isActive else { return }
                switch result {
                case .success(let progress):
                    guard detector.running?.silence.newConnectionAccepted(progress) == .dead else { return }
                    detector.fail(context, ConnectionDied())
                case .failure: detector.running?.silence.newConnectionFailed()
                }
            }
    }
}

/// The error of a connection whose peer no longer responds, although it accepts new connections at the same address.
struct ConnectionDied: Error {}

/// The error of a connection on which no byte was acknowledged within the stall limit (`StallLimit`).
struct ConnectionStalled: Error {}

/// The error of a response whose head, next chunk or end did not arrive in time.
struct ResponseTimedOut: Error {}

/// An error for a response that breaks the rules of HTTP. `reason` says how, for a message.
struct NotHTTP: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
