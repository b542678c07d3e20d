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
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < UInt64(Int64.max) else { return nil }
        return UInt64(limit.rlim_cur)
    }

    /// Raises the limit to the highest that the system allows this user, often a thousand times the default.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
            // Darwin refuses more than `OPEN_MAX`, whatever the hard limit is.
            limit.rlim_cur = min(limit.rlim_cur, rlim_t(OPEN_MAX))
        #endif
        // If this call fails, the default limit remains, which is enough for most uses.
        _ = setrlimit(resource, &limit)
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

    package static func isLack(_ code: Errno) -> Bool {
        [.tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(code)
    }

    #if os(Linux)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
