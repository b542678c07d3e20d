package import FerryProtocols
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// How many files and sockets this process may have open at once.
package enum DescriptorLimit {
    /// nil if there is none, or it cannot be told.
    package static var current: UInt64? {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < UInt64(Int64.max) else { return nil }
        return UInt64(limit.rlim_cur)
    }

    /// Allows as many as the system lets this user allow himself; that is often a thousand times what is usual.
    package static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        limit.rlim_cur = limit.rlim_max
        #if canImport(Darwin)
            // More than this is refused, whatever is said to be allowed.
            limit.rlim_cur = min(limit.rlim_cur, rlim_t(OPEN_MAX))
        #endif
        // Without it there is the usual number, and that is enough for most.
        _ = setrlimit(resource, &limit)
    }

    /// True if not one more file can be opened now.
    package static var isReached: Bool {
        let probe = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard probe < 0 else {
            close(probe)
            return false
        }
        return isLack(errno)
    }

    static func isLack(_ code: CInt) -> Bool { code == EMFILE || code == ENFILE }

    #if os(Linux)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}

extension UploadFailure {
    private static let lack = "too many open files"

    /// The failure that says that no file or socket can be opened until others are closed.
    ///
    /// - Parameters:
    ///   - code: EMFILE, ENFILE, or nil if it is only known that there is none.
    ///   - what: What it was wanted for; nil for a word on all of them.
    package static func noDescriptor(_ code: CInt? = nil, for what: String? = nil) -> UploadFailure {
        let prefix = what.map { "\($0): " } ?? ""
        guard code != ENFILE, let limit = DescriptorLimit.current else {
            return UploadFailure(
                .descriptors, prefix + "\(lack) on this machine",
                hint: "it goes on by itself when some are closed")
        }
        return UploadFailure(
            .descriptors, prefix + "\(lack): the limit is \(limit); ulimit -n raises it",
            hint: "it goes on by itself when some are closed")
    }

    /// A lack of descriptors without what one was wanted for: it is the same for all.
    package var ofEveryUpload: UploadFailure {
        var failure = self
        if let start = summary.range(of: Self.lack)?.lowerBound {
            failure.summary = String(summary[start...])
        }
        return failure
    }
}
