import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Descriptors that are reserved for the files of one folder, so that these files open even when the process has no
/// other free descriptor. Ferry needs this for the folder of the queue's journal.
package final class DescriptorReserve: Sendable {
    /// The number of descriptors in a full reserve. The queue's folder needs three at the same time: for a journal, a
    /// snapshot and a listing of the folder.
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

    /// The current number of spare descriptors.
    package var count: Int { spare.withLock { $0.count } }

    /// Opens a file, with a descriptor of the reserve if no other is free.
    /// - Parameter body: Opens the file by a system call. It may be called several times.
    /// - Returns: The result of `body`; negative after a failure, with `errno` set.
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

    /// Closes the file behind `descriptor`. If the reserve is not full, the descriptor's number stays in the reserve.
    package func take(over descriptor: Int32) {
        let isTaken = spare.withLock { spare in
            // `dup2` never frees the number. After a `close`, another thread could take it.
            guard spare.count < Self.size, replace(descriptor) else { return false }
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

    /// Replaces the file behind a descriptor by the open folder of the reserve. A child process that starts between
    /// `dup2` and `fcntl` inherits the open folder, which is harmless.
    ///
    /// - Returns: False if a system call fails.
    private func replace(_ descriptor: Int32) -> Bool {
        dup2(anchor, descriptor) >= 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
    }
}
