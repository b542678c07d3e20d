import Foundation
import Transfer
import UploadProtocols
import Uploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The Unix socket in the state folder: one JSON object a line, a command in and its reply out.
enum ControlSocket {
    /// Grows when a command or a reply changes its form.
    static let version = 1
    /// A list of a million uploads is about this long; nothing is longer.
    static let lineLimit = 1 << 30

    struct Request: Codable {
        var version: Int
        var command: QueueCommand
    }

    struct Response: Codable {
        var version: Int
        var reply: QueueReply
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

    /// The user at the other end; nil if the system does not tell.
    static func peer(of descriptor: CInt) -> uid_t? {
        #if os(Linux)
            // The kernel's `struct ucred` (unix(7)); the C library hides it behind _GNU_SOURCE.
            var credentials: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
            var length = socklen_t(MemoryLayout.size(ofValue: credentials))
            return getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0
                ? credentials.user : nil
        #else
            var (user, group) = (uid_t(0), gid_t(0))
            return getpeereid(descriptor, &user, &group) == 0 ? user : nil
        #endif
    }

    /// Reads up to a line break; nil at the end of the stream, after an error or beyond the limit.
    static func readLine(_ descriptor: CInt) -> Data? {
        var line = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while line.count < lineLimit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            if let end = buffer[..<count].firstIndex(of: 0x0A) {
                line.append(contentsOf: buffer[..<end])
                return line
            }
            line.append(contentsOf: buffer[..<count])
        }
        return nil
    }

    @discardableResult
    static func writeLine(_ value: some Encodable, to descriptor: CInt) -> Bool {
        guard var line = try? JSONEncoder().encode(value) else { return false }
        line.append(0x0A)
        return line.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = send(
                    descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, CInt(noSignal))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }

    #if os(Linux)
        private static let noSignal = MSG_NOSIGNAL
    #else
        private static let noSignal = 0
    #endif
}
