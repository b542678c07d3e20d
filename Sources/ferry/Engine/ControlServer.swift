import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Takes requests from other processes of the same user. Each connection has a thread: there are few, and they block.
final class ControlServer: Sendable {
    private static let connectionLimit = 32
    /// Screens that may be attached at once.
    private static let followerLimit = 32
    /// A client that stands still gives its place to others after so many seconds.
    private static let patience = 30

    private let queue: UploadQueue
    private let path: LocalPath
    private let listener: CInt
    private let since = Date()
    private let places = DispatchSemaphore(value: ControlServer.connectionLimit)
    private let followers = Mutex(0)
    private let configuration: LiveConfiguration
    private let watched = Mutex<WatchedFolders?>(nil)

    /// - Parameter configuration: What the engine goes by.
    /// - Throws: `UploadFailure` (`storage`) if the socket cannot be made.
    init(
        queue: UploadQueue, configuration: LiveConfiguration, folder: LocalPath
    ) throws(UploadFailure) {
        self.queue = queue
        self.configuration = configuration
        path = ControlSocket.path(in: folder)
        let descriptor = ControlSocket.open()
        // We hold the lock of the folder: a socket that is there belongs to a process that is gone.
        _ = path.withCString { unlink($0) }
        let bound = ControlSocket.withAddress(path) { bind(descriptor, $0, $1) }
        guard descriptor >= 0, bound == 0, path.withCString({ chmod($0, 0o600) }) == 0,
            listen(descriptor, 128) == 0
        else {
            close(descriptor)
            throw UploadFailure(
                .storage, "the control socket \(path.text) cannot be made (its path may be too long)")
        }
        listener = descriptor
    }

    /// - Parameter watched: The folders that the engine watches.
    func start(_ watched: WatchedFolders? = nil) {
        self.watched.withLock { $0 = watched }
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 {
                    if errno == EINTR || errno == ECONNABORTED { continue }
                    // No descriptor left: others will be given back.
                    guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else { return }
                    Thread.sleep(forTimeInterval: 0.1)
                    continue
                }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                serve(connection)
            }
        }
    }

    func stop() {
        shutdown(listener, CInt(SHUT_RDWR))
        close(listener)
        _ = path.withCString { unlink($0) }
    }

    private func serve(_ connection: CInt) {
        let socket = LineSocket(connection, patience: Self.patience)
        guard ControlSocket.peer(of: connection)?.user == getuid() else { return }
        // More of them wait in the kernel: a connection that was taken is answered.
        places.wait()
        Thread.detachNewThread { [self] in
            var lines = IncomingLines(socket)
            var isFollowing = false
            while !isFollowing, let line = lines.next() {
                let answer = answer(line)
                if case .following = answer { isFollowing = true }
                guard socket.write(line: ControlSocket.Response(answer: answer)) else { break }
            }
            // A screen stays for hours: it does not take a place of those that come and go.
            places.signal()
            if isFollowing { follow(socket, &lines) }
        }
    }

    private func answer(_ line: [UInt8]) -> ControlSocket.Response.Answer {
        guard let request = try? JSONDecoder().decode(ControlSocket.Request.self, from: Data(line)),
            request.version == ControlSocket.version
        else {
            let other = try? JSONDecoder().decode(ControlSocket.Greeting.self, from: Data(line))
            return .reply(.refused(.otherVersion(running: FerryVersion.current, asking: other?.ferry)))
        }
        switch request.ask {
        case .perform(let command):
            let client = EngineQueue(queue: queue, configuration: configuration)
            return Self.wait { .reply(await client.perform(command)) }
        case .progress: return .progress(queue.progress())
        case .report: return Self.wait { [self] in .report(await report) }
        case .reload: return Self.wait { [self] in await reload() }
        case .follow:
            let hasPlace = followers.withLock { count in
                guard count < Self.followerLimit else { return false }
                count += 1
                return true
            }
            guard hasPlace else {
                return .reply(
                    .refused(
                        UploadFailure(
                            .permanent, "\(Self.followerLimit) screens are attached already",
                            hint: "close one of them")))
            }
            return .following
        }
    }

    private func reload() async -> ControlSocket.Response.Answer {
        do throws(UploadFailure) { return .reloaded(try await configuration.reload()) } catch {
            return .reply(.refused(error))
        }
    }

    private var report: EngineReport {
        get async {
            let uploads = await queue.all
            let sent = SampledProgress(queue.progress())
            return EngineReport(
                process: getpid(), since: since, status: await queue.status,
                counts: EngineReport.Counts(uploads, sent: sent),
                estimate: queue.estimate(of: RemainingBytes(uploads, sent: sent)),
                screens: followers.withLock { $0 }, watched: watched.withLock { $0 }?.report)
        }
    }

    /// Sends what changes until the queue stops or the other end has gone.
    private func follow(_ socket: LineSocket, _ lines: inout IncomingLines) {
        let sending = Task { [queue] in
            // A screen that is stopped must not hold a thread that uploads need.
            let writer = DispatchQueue(label: "screen")
            for await update in await queue.updates() {
                let isSent = await withCheckedContinuation { sent in
                    writer.async {
                        let text = try? UpdateLines.text(of: update)
                        sent.resume(returning: text.map(socket.write) ?? false)
                    }
                }
                guard isSent else { break }
            }
            socket.end()
        }
        socket.waitForever()
        // It has nothing to say any more; this ends when it goes.
        while lines.next() != nil {}
        sending.cancel()
        followers.withLock { $0 -= 1 }
    }

    /// Waits on this thread for what happens on others.
    private static func wait(
        _ work: @escaping @Sendable () async -> ControlSocket.Response.Answer
    ) -> ControlSocket.Response.Answer {
        let ended = DispatchSemaphore(value: 0)
        let answer = Mutex(ControlSocket.Response.Answer.progress([]))
        Task {
            let value = await work()
            answer.withLock { $0 = value }
            ended.signal()
        }
        ended.wait()
        return answer.withLock { $0 }
    }
}

extension UploadFailure {
    /// - Parameter asking: nil if that is not known.
    static func otherVersion(running: String?, asking: String?) -> UploadFailure {
        let (running, asking) = (running ?? "an older version", asking ?? "an older version")
        let difference =
            running == asking ? "another build of \(running)" : "\(running), and this is \(asking)"
        return UploadFailure(
            .permanent, "the running ferry is \(difference): they do not understand each other",
            hint: "`ferry stop` ends it, nothing is lost; then start this one")
    }
}
