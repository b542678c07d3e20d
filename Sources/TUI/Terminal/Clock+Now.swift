import FerryFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Clock {
    static func now() -> Clock {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Clock(seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9, date: Date())
    }
}
