import FerryProtocols
import Foundation
import Synchronization

@testable import FerryReceiver

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension FuzzSurface {
    /// Requests to a running receiver, each on a connection of its own.
    static let receiver = FuzzSurface("receiver") { input in
        guard let running = RunningReceiver.shared else { fatalError("no receiver") }
        running.converse(input.all)
        running.examine()
    }

    /// The names that clients give to files.
    static let names = FuzzSurface("names") { input in
        let text = input.text
        let paths = [
            try? StoredPath(requestPath: text), try? StoredPath(clientName: text), StoredPath(text: text),
        ]
        for path in paths.compactMap({ $0 }) {
            promise(path.folders.count <= StoredPath.maximumDepth)
            for name in path.folders + [path.file] {
                let name = name.text
                promise(!name.isEmpty && name != "." && name != "..", name.debugDescription)
                promise(!name.utf8.contains { $0 < 0x20 || $0 == 0x2F || $0 == 0x7F }, name.debugDescription)
                promise(name.utf8.first != UInt8(ascii: "."), "a hidden name: \(name.debugDescription)")
                promise(name.utf8.count <= SafeName.maximumBytes, "a long name")
            }
            promise((try? StoredPath(requestPath: path.location)) == path, "another path: \(path.location)")
        }
        _ = try? TusUpload.wish(text, id: "0123456789abcdef")
    }
}

/// A receiver with a folder of its own. It runs until the process ends.
private final class RunningReceiver: Sendable {
    /// The number of files after which the folder is emptied, because a campaign must not fill the disk.
    private static let mostFiles = 2000

    static let shared = RunningReceiver()

    private let folder: String
    private let outside: String
    private let port: Int
    private let served = Mutex(0)

    private init?() {
        let base = FileManager.default.temporaryDirectory.appending(path: "ferry-fuzz-\(UUID().uuidString)")
            .path
        outside = base
        folder = base + "/in"
        guard
            (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true))
                != nil
        else { return nil }
        var configuration = ReceiverConfiguration(directory: folder, maximumSize: 1 << 20)
        configuration.allowDownload = true
        configuration.allowListing = true
        configuration.limits.uploadsPerClient = 100
        configuration.limits.connectionsPerClient = 1000
        guard let receiver = try? UploadReceiver(configuration) else { return nil }
        let started = DispatchSemaphore(value: 0)
        let port = Mutex(0)
        Task.detached {
            try? await receiver.run { address in
                port.withLock { $0 = address.port }
                started.signal()
            }
        }
        started.wait()
        self.port = port.withLock { $0 }
        atexit {
            if let outside = RunningReceiver.shared?.outside {
                try? FileManager.default.removeItem(atPath: outside)
            }
        }
    }

    /// Sends the bytes, closes the sending direction, and reads until the receiver closes the connection.
    func converse(_ bytes: [UInt8]) {
        #if os(Linux)
            let kind = CInt(SOCK_STREAM.rawValue)
            let flags = CInt(MSG_NOSIGNAL)
        #else
            let kind = SOCK_STREAM
            let flags: CInt = 0
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { fatalError("socket: \(errno)") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { return }
        // A normal close would leave the port in TIME_WAIT, and ports would run out. A reset does not.
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Linger>.size))
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
        shutdown(descriptor, CInt(SHUT_WR))
        var answer = [UInt8](repeating: 0, count: 4096)
        var count = 1
        while count > 0 { count = recv(descriptor, &answer, answer.count, 0) }
        promise(count == 0 || errno != EAGAIN, "no end of the connection after a minute")
    }

    /// Traps if a file lies outside of the folder or has a hidden name.
    func examine() {
        let count = served.withLock { count in
            count += 1
            return count
        }
        guard count % 64 == 1 else { return }
        let beside = (try? FileManager.default.contentsOfDirectory(atPath: outside)) ?? []
        promise(beside == ["in"], "outside of the folder: \(beside)")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        promise(!names.contains { $0.hasPrefix(".") && $0 != ".ferry" }, "a hidden name: \(names)")
        guard names.count > Self.mostFiles else { return }
        for name in names where name != ".ferry" {
            try? FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }
}

private typealias Linger = linger
