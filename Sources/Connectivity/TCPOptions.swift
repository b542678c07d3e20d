#if os(Linux)
    package import FerryFiles
    import Glibc

    /// The TCP socket options that Ferry uses: their numbers (tcp(7)), and the values for keepalive.
    package enum TCPOptions {
        package static let info = TCP_INFO
        package static let congestion = TCP_CONGESTION
        package static let userTimeout = TCP_USER_TIMEOUT
        package static let unsentLimit = TCP_NOTSENT_LOWAT
        /// The longest time between two retransmissions in ms: TCP_RTO_MAX_MS of include/uapi/linux/tcp.h.
        package static let longestBackoff: CInt = 44

        /// The options for TCP keepalive: after 2 s of silence, the kernel probes the peer every 2 s, and closes the
        /// connection after 120 probes. `isOfTCP` is false for an option of all sockets.
        package static let keepAlive: [(isOfTCP: Bool, name: CInt, value: CInt)] = [
            (false, SO_KEEPALIVE, 1), (true, TCP_KEEPIDLE, 2), (true, TCP_KEEPINTVL, 2),
            (true, TCP_KEEPCNT, 120),
        ]

        /// Returns the error if the kernel refuses a congestion control algorithm; nil also if no socket can be opened.
        package static func refusal(ofCongestionControl name: String) -> Errno? {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            let result = name.withCString {
                setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, $0, socklen_t(name.utf8.count))
            }
            return result == 0 ? nil : .last
        }
    }
#endif
