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

    /// Raises the limit to the highest that this user may have, often a thousand times the default.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(filesResource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
            // Darwin refuses more than `OPEN_MAX`, whatever the hard limit is.
            limit.rlim_cur = min(limit.rlim_cur, rlim_t(OPEN_MAX))
        #endif
        _ = setrlimit(filesResource, &limit)
    }

    /// True if no file can be opened now.
    package static var isReached: Bool { isLacking(open("/dev/null", O_RDONLY | O_CLOEXEC)) }

    private static func isLacking(_ probe: CInt) -> Bool {
        guard probe >= 0 else { return isLack(.last) }
        close(probe)
        return false
    }

    /// The number of descriptors that uploads leave to the libraries below Ferry. While tasks wait for a thread,
    /// Dispatch opens `/proc/THREAD/stat` every second, and ends the process if it cannot (`event_workqueue.c`).
    private static let headroom = 8

    /// The limit at the first use.
    private static let first = current

    /// True if enough descriptors are left after the system has opened `descriptor`, the lowest free number, and will
    /// open `expected` more.
    package static func hasRoom(after descriptor: Int32, expected: Int = 0) -> Bool {
        hasRoom(after: descriptor, expected: expected, limit: first)
            // The limit may have been raised since.
            || hasRoom(after: descriptor, expected: expected, limit: current)
    }

    static func hasRoom(after descriptor: Int32, expected: Int, limit: UInt64?) -> Bool {
        guard let limit = limit.flatMap(Int.init(exactly:)) else { return true }
        return Int(descriptor) + expected < limit - min(headroom, limit / 8)
    }

    /// Returns `descriptor`, the result of a system call. If too few are left, closes it and fails with EMFILE.
    static func leavingRoom(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0, !hasRoom(after: descriptor) else { return descriptor }
        close(descriptor)
        errno = EMFILE
        return -1
    }

    /// True if no more descriptors are left than `headroom`.
    package static var isLow: Bool { isLacking(leavingRoom(open("/dev/null", O_RDONLY | O_CLOEXEC))) }

    package static func isLack(_ code: Errno) -> Bool {
        [.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(code)
    }
}

/// The file with the memory of this process, possibly with credentials, that the kernel writes after a crash.
package enum CoreDump {
    /// Prevents core dumps by a limit on their size, which child processes inherit and may raise.
    package static func prevent() {
        var limit = rlimit()
        guard getrlimit(coreResource, &limit) == 0 else { return }
        #if os(Linux)
            // A limit of 0 prevents a file; only 1 also prevents a pipe to the program in core_pattern (fs/coredump.c).
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
