import CFerryFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The names and numbers that identify this machine and this process.
package enum Machine {
    package static var process: Int32 { getpid() }

    /// The path of the running program.
    package static var program: String? {
        #if os(Linux)
            LocalPath("/proc/self/exe").linkTarget?.text
        #else
            Bundle.main.executablePath
        #endif
    }

    /// Lets all threads share the free memory of the heap. Call this before the first other thread begins.
    package static func shareHeap() { ferry_limit_arenas() }

    /// Gives back the free memory of the heap, and the memory of code that no thread uses now. The kernel can read the
    /// code again from its cache.
    package static func releaseMemory() { ferry_release_memory() }

    package static var user: UInt32 { geteuid() }

    package static func name(of user: UInt32) -> String {
        getpwuid(user).flatMap { entry in entry.pointee.pw_name.map { String(cString: $0) } } ?? "\(user)"
    }

    /// True if a process with this id exists and this user may signal it.
    package static func runs(_ process: Int32) -> Bool { kill(process, 0) == 0 }

    /// Sends SIGTERM to a process. Returns false if there is none of this user.
    package static func end(_ process: Int32) -> Bool { kill(process, SIGTERM) == 0 }

    /// The identifier of the machine's current boot; empty if unknown.
    package static var boot: String {
        #if os(Linux)
            let file = LocalPath("/proc/sys/kernel/random/boot_id")
            return String(decoding: file.content(upTo: 36) ?? [], as: UTF8.self)
        #else
            var bytes = [UInt8](repeating: 0, count: 64)
            var size = bytes.count
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return "" }
            return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #endif
    }

    /// The name of the machine; empty if unknown.
    package static var host: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
