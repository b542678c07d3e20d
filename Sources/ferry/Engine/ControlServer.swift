import Foundation
import Synchronization
import Transfer
import UploadProtocols
import Uploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Takes commands from other processes of the same user. Each connection has a thread: there are few, and they block.
final class ControlServer: Sendable {
    private static let connectionLimit = 32
    /// A client that stands still gives its place to others after so many seconds.
    private static let patience = 30

    private let queue: UploadQueue
    private let path: LocalPath
    private let listener: CInt
    private let places = DispatchSemaphore(value: ControlServer.connectionLimit)

    /// - Throws: `UploadFailure` (`storage`) if the socket cannot be made.
    init(queue: UploadQueue, folder: LocalPath) throws(UploadFailure) {
        self.queue = queue
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

    func start() {
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
        guard ControlSocket.peer(of: connection) == getuid() else {
            close(connection)
            return
        }
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // More of them wait in the kernel: a connection that was taken is answered.
        places.wait()
        Thread.detachNewThread { [self] in
            while let line = ControlSocket.readLine(connection) {
                let answered = DispatchSemaphore(value: 0)
                let reply = Mutex<QueueReply?>(nil)
                Task {
                    let answer = await self.answer(line)
                    reply.withLock { $0 = answer }
                    answered.signal()
                }
                answered.wait()
                guard let reply = reply.withLock({ $0 }),
                    ControlSocket.writeLine(
                        ControlSocket.Response(version: ControlSocket.version, reply: reply), to: connection)
                else { break }
            }
            close(connection)
            places.signal()
        }
    }

    private func answer(_ line: Data) async -> QueueReply {
        guard let request = try? JSONDecoder().decode(ControlSocket.Request.self, from: line),
            request.version == ControlSocket.version
        else {
            return .refused(
                UploadFailure(
                    .permanent, "this command comes from another version of ferry than the one that runs",
                    hint: "stop the running ferry and start the new one"))
        }
        return await queue.perform(request.command)
    }
}
