#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The file that the kernel writes after a crash, with the memory of this process. The memory can contain credentials.
package enum CoreDump {
    /// Prevents core dumps by a limit on their size. Child processes inherit the limit, and are allowed to raise it.
    package static func prevent() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        #if os(Linux)
            // A limit of 0 prevents a file, but not a pipe to the program in core_pattern. A limit of 1 prevents both
            // (fs/coredump.c).
            limit.rlim_cur = min(1, limit.rlim_max)
        #else
            limit.rlim_cur = 0
        #endif
        _ = setrlimit(resource, &limit)
    }

    #if os(Linux)
        private static let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
        private static let resource = RLIMIT_CORE
    #endif
}
