#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The dump of this process's memory after a crash. It would hold credentials and parts of files.
enum CoreDump {
    /// Stops the kernel from writing a dump. Children inherit the limit, and may raise it again.
    static func prevent() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        #if os(Linux)
            // 0 stops the file, but not the program behind a pipe in core_pattern. 1 stops both (fs/coredump.c).
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
