import FerryProtocols
import FerryTransfer
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// `ferry.log` in the state folder: what was asked of which server and what it answered. Holds no secret.
final class TransferLog: EventMonitor {
    private static let sizeLimit = 8 << 20

    private struct File {
        var descriptor: CInt
        var size: Int
    }

    private let path: String
    private let file: Mutex<File>

    /// Logging is never a reason not to upload: if the file cannot be opened, nothing is written.
    init(folder: LocalPath) {
        path = folder.text + "/ferry.log"
        file = Mutex(Self.open(path))
    }

    deinit { file.withLock { _ = close($0.descriptor) } }

    func receive(_ event: TransferEvent, of request: RequestContext) {
        switch event {
        // Too often, or no more than what comes after it says.
        case .created, .started, .sent, .waiting, .finished: break
        case .adapted, .responded, .broke, .redirected, .retriedOnFreshConnection, .retrying, .refreshed,
            .serverLost, .protocolChosen, .suspended, .resumed, .failed, .cancelled, .certificateNotVerified:
            note((request.label.isEmpty ? "" : "#\(request.label) ") + event.summary)
        }
    }

    func note(_ text: String) {
        let line = Array("\(Date.now.formatted(.iso8601)) \(SafeLine.text(text))\n".utf8)
        file.withLock { file in
            guard file.descriptor >= 0 else { return }
            if file.size > Self.sizeLimit {
                close(file.descriptor)
                rename(path, path + ".1")
                file = Self.open(path)
            }
            file.size += max(0, write(file.descriptor, line, line.count))
        }
    }

    private static func open(_ path: String) -> File {
        #if canImport(Glibc)
            let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        #else
            let descriptor = Darwin.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        #endif
        return File(descriptor: descriptor, size: descriptor < 0 ? 0 : Int(lseek(descriptor, 0, SEEK_END)))
    }
}
