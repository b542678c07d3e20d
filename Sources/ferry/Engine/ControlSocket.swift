import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The Unix socket in the state folder: one JSON object a line, a request in and its response out. After `follow` the
/// connection carries updates (`UpdateLines`) until one of the two ends goes.
enum ControlSocket {
    /// Grows when a request or a response changes its form. `version` and `ferry` of both never do: by them two
    /// versions of ferry tell each other apart.
    static let version = 5

    /// What every version understands of what another one says.
    struct Greeting: Codable {
        var version: Int
        var ferry: String?
    }

    struct Request: Codable {
        var version = ControlSocket.version
        var ferry = FerryVersion.current
        var ask: Ask

        enum Ask: Codable {
            case perform(QueueCommand)
            /// How far the running uploads are.
            case progress
            /// What this engine is and does.
            case report
            /// Read the configuration again.
            case reload
            /// Everything that changes from now on.
            case follow
        }
    }

    struct Response: Codable {
        var version = ControlSocket.version
        var ferry = FerryVersion.current
        var answer: Answer

        enum Answer: Codable {
            case reply(QueueReply)
            case progress([ProgressSample])
            case report(EngineReport)
            case reloaded(ReloadReport)
            /// Updates come next.
            case following
        }
    }

    static func path(in folder: LocalPath) -> LocalPath { folder.appending(Array("control".utf8)) }

    /// - Returns: nil if the path does not fit (108 bytes on Linux).
    static func withAddress<Result>(
        _ path: LocalPath, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.bytes) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    static func open() -> CInt {
        #if os(Linux)
            return socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            return descriptor
        #endif
    }

    /// Who is at the other end; nil if the system does not tell.
    static func peer(of descriptor: CInt) -> (process: pid_t?, user: uid_t)? {
        #if os(Linux)
            // The kernel's `struct ucred` (unix(7)); the C library hides it behind _GNU_SOURCE.
            var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
            var length = socklen_t(MemoryLayout.size(ofValue: credentials))
            return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0
                ? (credentials.process, credentials.user) : nil
        #else
            var (user, group) = (uid_t(0), gid_t(0))
            guard getpeereid(descriptor, &user, &group) == 0 else { return nil }
            var process = pid_t(0)
            var length = socklen_t(MemoryLayout<pid_t>.size)
            let isKnown = getsockopt(descriptor, SOL_LOCAL, LOCAL_PEERPID, &process, &length) == 0
            return (isKnown ? process : nil, user)
        #endif
    }
}
