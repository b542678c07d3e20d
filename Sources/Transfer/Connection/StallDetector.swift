import FerryProtocols
import NIOCore
import NIOHTTP1
import NIOPosix

/// Watches one connection, exchange (a request with its response) after exchange, between the HTTP parser and the
/// client.
///
/// The detector closes the connection if bytes are in flight and the other side acknowledges none of them within the
/// stall limit (`StallLimit`); the kernel alone would take about 15 minutes. Bytes in a buffer do not count, so a slow
/// link with a large chunk in flight is not stalled. The response timeout runs only when all bytes are acknowledged.
/// Each interim response (1xx) restarts it, up to ten response timeouts (`ResponseTime.longest`). Then the body has a
/// total time limit (`ResponseTime`), even if bytes arrive steadily.
///
/// A dead connection to a server that accepts new ones is closed within seconds (`DeadPeerDetector`).
final class StallDetector: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The internal header field that identifies the exchange's observer. It is removed before the request is sent.
    static let exchangeField = "Ferry-Exchange"
    private static let watchInterval = Duration.milliseconds(500)

    private enum ResponseState {
        /// The head has not arrived. `last` is the time of the last interim response (1xx).
        case awaited(last: NIODeadline)
        case begun(ResponseTime)
        case complete
    }

    private enum RequestBody { case underWay, complete }

    private struct Running {
        var observer: ResponseCollector?
        var request = RequestBody.underWay
        var response = ResponseState.awaited(last: .distantPast)
        var interim: InterimCount
        var silence: DeadPeerDetector
        var stall: StallLimit
        let began = NIODeadline.now()
        let acknowledged: UInt64
        var sent = SentCount()
        /// True from the head of the request until its flush, if the body follows at once.
        var awaitsBody: Bool

        init(_ observer: ResponseCollector?, stall: Duration, since movement: Movement) {
            self.observer = observer
            acknowledged = movement.acknowledged
            interim = InterimCount(written: movement.written, acknowledged: movement.acknowledged)
            awaitsBody = observer?.bodyFollowsAtOnce ?? false
            let breakCostsLittle = observer?.breakCostsLittle ?? false
            silence = DeadPeerDetector(breakCostsLittle: breakCostsLittle)
            self.stall = StallLimit(stall: stall, breakCostsLittle: breakCostsLittle)
        }
    }

    /// The counters whose change is progress of the connection. Interim responses are not counted.
    private struct Movement: Equatable {
        var writes: UInt64 = 0
        var written: UInt64 = 0
        var reads: UInt64 = 0
        var acknowledged: UInt64 = 0
    }

    private let timeouts: HTTPClientTransport.Timeouts
    private let observer: (String) -> ResponseCollector?
    private var running: Running?
    private var exchangesServed = 0
    private var pendingWrites = 0
    private var movement = Movement()
    private var lastSeen = Movement()
    private var lastMoved = NIODeadline.now()
    /// The time at which the connection's network went away; nil while the network is available.
    private var linkLeft: NIODeadline?
    private var backoff = TCPInfo.longestBackoff
    private var unsentLimit: Int?
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    init(timeouts: HTTPClientTransport.Timeouts, observer: @escaping (String) -> ResponseCollector?) {
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
            if running.observer?.bodyIsLarge == true { countSent { $0.begin($1) } }
            running.observer?.didStart(onKeptConnection: exchangesServed > 0)
        case .body: break
        case .end:
            requestIsComplete()
            return context.write(data, promise: promise)
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
                // After an early response, the next exchange can begin before this write completes.
                guard bound.value.running?.observer === observer else { break }
                bound.value.countSent { $0.took(ByteCount(bodyBytes), $1) }
            case .failure(let error):
                observer?.didFailToWrite(error)
                if bound.value.running?.observer === observer { bound.value.tellSent() }
            }
        }
        context.write(wrapOutboundOut(part), promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        guard running?.awaitsBody == true else { return context.flush() }
        // A body that follows in this turn of the event loop shares the write of the head.
        running?.awaitsBody = false
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.flush() }
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

    /// Closes the connection because of `reason`. A running request possibly still works after a sleep of the machine.
    func invalidate(because reason: ConnectionInvalidation) {
        guard let context else { return }
        switch (reason, running) {
        case (_, nil): context.close(promise: nil)
        case (.addressLost, _?): fail(context, ConnectionAddressLost())
        case (.slept, _?): break
        }
    }

    /// Records that the network went away or returned. While it is away, the connection is not closed as stalled. Then
    /// the time without progress starts again, with a longer limit.
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

    /// Lets `change` update the count of sent bytes by the kernel's counters, if an exchange is running.
    private func countSent(_ change: @escaping @Sendable (inout SentCount, TCPInfo) -> Void) {
        withCounters { change(&$0.sent, $1) }
    }

    /// Lets `change` update the running exchange, if there is one, by the kernel's counters.
    private func withCounters(_ change: @escaping @Sendable (inout Running, TCPInfo) -> Void) {
        guard let context, running != nil else { return }
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        // On the event loop the result is available at once.
        TCPInfo.read(context.channel).whenSuccess { info in
            guard var running = bound.value.running else { return }
            change(&running, info)
            bound.value.running = running
            running.observer?.didAcknowledge(running.sent.acknowledgedBody)
        }
    }

    /// Reports to the observer, once for an exchange, how many of the written bytes were sent, if that is known.
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
        running.observer?.didAcknowledge(running.sent.acknowledgedBody)
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
        case (.begun(let time), .underWay) where time.status < 300: lastMoved = now
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

    /// Sets the kernel's maximum time between two retransmissions: short while the peer is silent.
    private func hurry(_ progress: TCPInfo, _ channel: any Channel) {
        guard let wanted = progress.wantedBackoff, wanted != backoff else { return }
        backoff = wanted
        TCPInfo.boundBackoff(of: channel, to: wanted)
    }

    /// Tests by a new connection to the same address whether the current one is dead, and closes it then.
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

struct ResponseTimedOut: Error {}

struct NotHTTP: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}
