import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time zone of this process, set by `TZ` or the system (tzset(3)).
package enum SystemZone {
    /// The second in which `tzset` was last called.
    private static let lastCheck = Atomic<time_t>(-1)

    /// Returns the number of seconds by which the zone is ahead of GMT; 0 for an impossible date.
    package static func offset(at date: Date) -> Int {
        guard var moment = time_t(exactly: date.timeIntervalSince1970.rounded(.down)) else { return 0 }
        var local = tm()
        // localtime_r(3) does not check for a changed zone, and tzset(3) asks the file system.
        let now = time(nil)
        if lastCheck.exchange(now, ordering: .relaxed) != now { tzset() }
        return localtime_r(&moment, &local) == nil ? 0 : Int(local.tm_gmtoff)
    }
}
