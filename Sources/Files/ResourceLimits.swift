package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The limit on the files and sockets that this process may have open at once.
package enum DescriptorLimit {
    /// The current limit; nil if there is none, or if it cannot be read.
    package static var current: UInt64? {
        var limit = rlimit()
        guard getrlimit(filesResource, &limit) == 0, limit.rlim_cur < UInt64(Int64.max) else { return nil }
        return UInt64(limit.rlim_cur)
    }

    /// Raises the limit to the highest that the system allows this user, often a thousand times the default.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(filesResource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
            // Darwin refuses more than `OPEN_MAX`, whatever the hard limit is.
            limit.rlim_cur = min(limit.rlim_cur, rlim_t(OPEN_MAX))
        #endif
        // If this call fails, the default limit remains, which is enough for most uses.
        _ = setrlimit(filesResource, &limit)
    }

    /// True if no file can be opened now, because this process or the whole system has too many open files.
    package static var isReached: Bool {
        let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard probe < 0 else {
            close(probe)
            return false
        }
        return isLack(.last)
    }

    /// The number of descriptors that uploads leave to the libraries below Ferry. While tasks wait for a thread, Dispatch
    /// opens `/proc/THREAD/stat` every second, and ends the process if it has no descriptor for that
    /// (`event_workqueue.c` of swift-corelibs-libdispatch).
    private static let headroom = 8

    /// The limit at the first use.
    private static let first = current

    /// True if enough descriptors are left after the system has opened `descriptor`. The system gives the lowest free
    /// number, so the number shows how many are open.
    ///
    /// - Parameter expected: The number of descriptors that will be opened for what is open already.
    package static func hasRoom(after descriptor: Int32, expected: Int = 0) -> Bool {
        hasRoom(after: descriptor, expected: expected, limit: first)
            // The limit may have been raised since.
            || hasRoom(after: descriptor, expected: expected, limit: current)
    }

    static func hasRoom(after descriptor: Int32, expected: Int, limit: UInt64?) -> Bool {
        guard let limit = limit.flatMap(Int.init(exactly:)) else { return true }
        return Int(descriptor) + expected < limit - min(headroom, limit / 8)
    }

    /// Returns `descriptor`, the result of a system call that opens a file. If too few descriptors are left, closes it
    /// and returns -1 with `errno` EMFILE.
    static func leavingRoom(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0, !hasRoom(after: descriptor) else { return descriptor }
        close(descriptor)
        errno = EMFILE
        return -1
    }

    /// True if no more descriptors are left than `headroom`.
    package static var isLow: Bool {
        let probe = leavingRoom(open("/dev/null", O_RDONLY | O_CLOEXEC))
        guard probe >= 0 else { return isLack(.last) }
        close(probe)
        return false
    }

    package static func isLack(_ code: Errno) -> Bool {
        [.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(code)
    }
}

/// The file that the kernel writes after a crash, with the memory of this process. The memory can contain credentials.
package enum CoreDump {
    /// Prevents core dumps by a limit on their size. Child processes inherit the limit, and are allowed to raise it.
    package static func prevent() {
        var limit = rlimit()
        guard getrlimit(coreResource, &limit) == 0 else { return }
        #if os(Linux)
            // A limit of 0 prevents a file, but not a pipe to the program in core_pattern. A limit of 1 prevents both
            // (fs/coredump.c).
            limit.rlim_cur = min(1, limit.rlim_max)
        #else
            limit.rlim_cur = 0
        #endif
        _ = setrlimit(coreResource, &limit)
    }
}

#if os(Linux)
    private let filesResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    private let coreResource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
#else
    private let filesResource = RLIMIT_NOFILE
    private let coreResource = RLIMIT_CORE
#endif
