import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Descriptors that are reserved for the files of one folder, the queue's, so that these files open even when the
/// process has no other free descriptor.
package final class DescriptorReserve: Sendable {
    /// The number of descriptors in a full reserve: for a journal, a snapshot and a listing of the folder.
    private static let size = 3

    private let anchor: Int32
    private let spare = Mutex<[Int32]>([])

    /// - Parameter descriptor: The open file that the reserve's descriptors duplicate.
    package init(of descriptor: Int32) {
        // A duplicate, because the caller may close `descriptor` while files of the folder still use the reserve.
        anchor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        refill()
    }

    deinit { for descriptor in spare.withLock({ $0 }) + [anchor] where descriptor >= 0 { close(descriptor) } }

    package var count: Int { spare.withLock { $0.count } }

    /// Opens a file by `body`, with a descriptor of the reserve if no other is free. `body` makes a system call,
    /// possibly several times.
    package func open(_ body: () -> Int32) -> Int32 {
        refill()
        while true {
            let result = body()
            let code = errno
            guard result < 0, code == EMFILE || code == ENFILE,
                let descriptor = spare.withLock({ $0.popLast() })
            else {
                errno = code
                return result
            }
            close(descriptor)
        }
    }

    /// Closes the file behind `descriptor`. Its number stays in a reserve that is not full.
    package func take(over descriptor: Int32) {
        let isTaken = spare.withLock { spare in
            // `dup2` never frees the number. After a `close`, another thread could take it. A child that starts between
            // the calls inherits only the reserve's folder.
            guard spare.count < Self.size, dup2(anchor, descriptor) >= 0,
                fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
            else { return false }
            spare.append(descriptor)
            return true
        }
        if !isTaken { close(descriptor) }
    }

    private func refill() {
        spare.withLock { spare in
            while spare.count < Self.size {
                let copy = fcntl(anchor, F_DUPFD_CLOEXEC, 0)
                guard copy >= 0 else { return }
                spare.append(copy)
            }
        }
    }
}
