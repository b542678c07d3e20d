import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Descriptors that are kept for the state folder, so that changes are written down also when every other descriptor
/// of the process is taken.
package final class DescriptorReserve: Sendable {
    /// A journal, a snapshot and a listing of the folder may be opened at the same moment.
    private static let size = 3

    private let anchor: Int32
    private let spare = Mutex<[Int32]>([])

    /// - Parameter descriptor: What the reserve's descriptors are copies of.
    package init(of descriptor: Int32) {
        // One of our own, so that it is open for as long as the last file of the folder.
        anchor = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        refill()
    }

    deinit { for descriptor in spare.withLock({ $0 }) + [anchor] where descriptor >= 0 { close(descriptor) } }

    /// The number of spare descriptors.
    package var count: Int { spare.withLock { $0.count } }

    /// Opens something, at the cost of the reserve if there is no other way.
    /// - Returns: What `body` returns; below 0 with `errno` set.
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

    /// Closes what `descriptor` is open on and keeps the number, if the reserve is not complete.
    package func take(over descriptor: Int32) {
        let isTaken = spare.withLock { spare in
            // In one step: a descriptor that is free for a moment is somebody else's.
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

    /// A child that is started between the two calls inherits a folder that it cannot harm.
    private func replace(_ descriptor: Int32) -> Bool {
        dup2(anchor, descriptor) >= 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0
    }
}
