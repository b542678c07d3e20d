import Dispatch
import FerryProtocols
import FerryTUI
import FerryUploads
import Synchronization

/// The engine's server for requests from other processes of the same user, with a thread for each connection.
final class ControlServer: Sendable {
    private static let connectionLimit = 32
    /// The maximum number of clients that follow the queue: attached screens and `ferry wait`.
    private static let followerLimit = 32
    /// The number of seconds for which the server waits for a client in all, plus one for each MiB.
    static let timeout = 30

    private let queue: UploadQueue
    private let listener: SocketListener
    private let since = Date()
    private let connectionPermits = DispatchSemaphore(value: ControlServer.connectionLimit)
    private let followers = Mutex(0)
    private let configuration: ConfigurationReloader
    private let watched = Mutex<@Sendable () -> [EngineReport.Watched]?>({ nil })
    private let timeout: Int
    private let time: @Sendable (_ seconds: Int) -> PeerTime

    /// - Parameter time: Makes the limit of one client from `timeout`.
    /// - Throws: `UploadFailure` (`storage`) if the socket cannot be created.
    init(
        queue: UploadQueue, configuration: ConfigurationReloader, folder: LocalPath,
        timeout: Int = ControlServer.timeout,
        time: @escaping @Sendable (_ seconds: Int) -> PeerTime = { PeerTime(seconds: $0) }
    ) throws(UploadFailure) {
        self.queue = queue
        self.configuration = configuration
        self.timeout = timeout
        self.time = time
        let path = ControlSocket.path(in: folder)
        // This process holds the lock of the folder, so the engine that created an existing socket has ended.
        do throws(SystemCallError) { listener = try SocketListener(path) } catch {
            throw UploadFailure(
                .storage, "the control socket \(path.text) cannot be created (its path may be too long)")
        }
    }

    /// Starts to accept connections. `watched` reports the folders that the engine watches; nil if there are none.
    func start(_ watched: @escaping @Sendable () -> [EngineReport.Watched]? = { nil }) {
        self.watched.withLock { $0 = watched }
        DetachedThread.start { [self] in
            while let socket = listener.next(timeout: timeout) { serve(socket) }
        }
    }

    func stop() { listener.stop() }

    private func serve(_ socket: LineSocket) {
        guard socket.isOfSameUser else { return }
        // At the limit, waits for the end of a connection. Meanwhile the kernel queues further connections.
        connectionPermits.wait()
        DetachedThread.start { [self] in
            let clientTime = time(timeout)
            var lines = IncomingLines(socket, within: clientTime)
            var isFollowing = false
            while !isFollowing, let line = lines.next() {
                let (content, listing) = respond(to: line)
                if case .following = content { isFollowing = true }
                guard socket.write(line: ControlSocket.Response(content: content), within: clientTime),
                    listing?.pages.allSatisfy({ socket.write($0, within: clientTime) }) ?? true
                else { break }
            }
            // A screen stays for hours, and must not count against the limit on connections for short requests.
            connectionPermits.signal()
            if isFollowing { follow(socket, &lines) }
        }
    }

    /// Uploads to send after a response.
    private struct Listing {
        let uploads: QueueTable
        let ids: [Upload.ID]
        let hasSeveralDestinations: Bool

        init(_ uploads: QueueTable, _ filter: UploadFilter) {
            self.uploads = uploads
            var first: String?
            var isSeveral = false
            ids = uploads.ranked { upload in
                guard filter.chooses(upload) else { return false }
                if !isSeveral {
                    let destination = upload.target.destinationText
                    isSeveral = destination != first ?? destination
                    first = destination
                }
                return true
            }
            hasSeveralDestinations = isSeveral
        }

        var pages: some Sequence<[UInt8]> { UpdateLines.pages(of: ids, in: uploads) }
    }

    /// Carries out a request. Returns the response and, for the request `list`, the uploads to send after it.
    private func respond(to line: [UInt8]) -> (ControlSocket.Response.Content, Listing?) {
        guard let request = try? JSONDecoder().decode(ControlSocket.Request.self, from: Data(line)),
            request.version == ControlSocket.version
        else {
            let other = try? JSONDecoder().decode(ControlSocket.Greeting.self, from: Data(line))
            return (.reply(.refused(.otherVersion(running: FerryVersion.current, asking: other?.ferry))), nil)
        }
        guard case .list(let filter) = request.ask else { return (respond(to: request.ask), nil) }
        let uploads = Self.wait { [queue] in await queue.snapshot }
        let listing = Listing(uploads, filter)
        let head = ControlSocket.Response.Content.listing(
            count: listing.ids.count, largestID: listing.ids.max(),
            hasSeveralDestinations: listing.hasSeveralDestinations)
        return (head, listing)
    }

    private func respond(to ask: ControlSocket.Request.Ask) -> ControlSocket.Response.Content {
        switch ask {
        case .perform(let command):
            let client = EngineQueue(queue: queue, configuration: configuration)
            return ControlSocket.Response.Content(Self.wait { await client.perform(command) })
        case .list: return .listing(count: 0, largestID: nil, hasSeveralDestinations: false)
        case .explain(let command, let selection, let changed):
            let isMeant = selection.needsExplanation(but: changed)
            var explanation = NoOpExplanation(command, spelled: { "`ferry \($0)`" })
            switch selection {
            case .ids, .numbers:
                for upload in Self.wait({ [queue] in await queue.selected(selection) }) where isMeant(upload)
                {
                    explanation.add(upload)
                }
            case .all, .failed, .done, .batch:
                Self.wait { [queue] in await queue.snapshot }.visit { upload in
                    if isMeant(upload) { explanation.add(upload) }
                }
            }
            return .explained(explanation.sentences)
        case .progress: return .progress(queue.progress())
        case .report: return Self.wait { [self] in .report(await report) }
        case .reload: return Self.wait { [self] in await reload() }
        case .follow:
            let isAdmitted = followers.withLock { count in
                guard count < Self.followerLimit else { return false }
                count += 1
                return true
            }
            guard isAdmitted else {
                let text = "\(Self.followerLimit) clients are attached already"
                return .reply(.refused(UploadFailure(.permanent, text, hint: "close one of them")))
            }
            return .following
        }
    }

    private func reload() async -> ControlSocket.Response.Content {
        do throws(UploadFailure) { return .reloaded(try await configuration.reload()) } catch {
            return .reply(.refused(error))
        }
    }

    private var report: EngineReport {
        get async {
            let sent = SampledProgress(queue.progress())
            let uploads = await queue.snapshot
            return EngineReport(
                process: Machine.process, since: since, status: await queue.status,
                counts: EngineReport.Counts(uploads, sent: sent),
                estimate: queue.estimate(of: RemainingBytes(uploads, sent: sent)),
                screens: followers.withLock { $0 }, watched: watched.withLock { $0 }())
        }
    }

    /// Sends the queue's updates to the client until the queue stops or the client disconnects.
    private func follow(_ socket: LineSocket, _ lines: inout IncomingLines) {
        let sending = Task { [queue, time, timeout] in
            // A suspended screen does not read, and would block a thread that uploads need.
            let writer = DispatchQueue(label: "screen")
            for await update in await queue.updates() {
                let isSent = await withCheckedContinuation { sent in
                    writer.async {
                        let text = try? UpdateLines.text(of: update)
                        sent.resume(returning: text.map { socket.write($0, within: time(timeout)) } ?? false)
                    }
                }
                guard isSent else { break }
            }
            socket.end()
        }
        lines.waitForever()
        // The client sends nothing more. This loop ends when the client disconnects.
        while lines.next() != nil {}
        sending.cancel()
        followers.withLock { $0 -= 1 }
    }

    /// Runs asynchronous work and blocks this thread until it returns.
    private static func wait<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) -> Value {
        let ended = DispatchSemaphore(value: 0)
        let result = Mutex<Value?>(nil)
        Task {
            let value = await work()
            result.withLock { $0 = value }
            ended.signal()
        }
        while true {
            ended.wait()
            if let value = result.withLock({ $0 }) { return value }
        }
    }
}

extension UploadFailure {
    /// Returns the failure for two versions or builds of Ferry that use different formats for requests.
    static func otherVersion(running: String?, asking: String?) -> UploadFailure {
        let (running, asking) = (running ?? "an older version", asking ?? "an older version")
        let difference =
            running == asking ? "another build of \(running)" : "\(running), and this is \(asking)"
        return UploadFailure(
            .permanent, "the running engine is \(difference): they do not understand each other",
            hint: "`ferry stop` ends it, nothing is lost; then start this one")
    }
}
