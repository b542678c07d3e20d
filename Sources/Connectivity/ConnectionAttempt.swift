#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tries to connect to the first 8 addresses of a host at the same time, until one succeeds, all have failed, or the
/// deadline has passed. Blocks the calling thread; the name lookup can block it beyond the deadline.
enum ConnectionAttempt {
    // A name with more addresses belongs to a large service, so the first 8 are enough.
    private static let maximumAddresses = 8

    struct Outcome {
        var reachability: Reachability
        /// The time that a packet took to the address that accepted the connection and back, as the kernel measured it.
        /// Nil without a connection, and if the kernel does not report it.
        var roundTrip: Duration?
    }

    static func run(host: String, port: UInt16, until deadline: ContinuousClock.Instant) -> Outcome {
        var hints = addrinfo()
        #if os(Linux)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(
            isBracketed ? String(host.dropFirst().dropLast()) : host, "\(port)", &hints, &list)
        guard code == 0 else { return Outcome(reachability: reachability(lookupError: code)) }
        defer { freeaddrinfo(list) }
        return connect(to: list, until: deadline)
    }

    private static func reachability(lookupError code: Int32) -> Reachability {
        switch code {
        case EAI_NONAME: .nameNotFound
        // EAI_NODATA of Linux (-5): the name has no address. EAI_FAIL: the name server refuses permanently.
        case -5, EAI_FAIL: .nameNotFound
        case EAI_AGAIN: .unreachable(reason: "no name server answers")
        default: .unreachable(reason: String(cString: gai_strerror(code)).lowercased())
        }
    }

    private static func connect(
        to list: UnsafeMutablePointer<addrinfo>?, until deadline: ContinuousClock.Instant
    ) -> Outcome {
        var waiting: [pollfd] = []
        defer { for entry in waiting { close(entry.fd) } }
        var errors: [Int32] = []
        var next = list
        while let entry = next?.pointee, waiting.count + errors.count < maximumAddresses {
            next = entry.ai_next
            let (descriptor, code) = start(entry)
            switch code {
            case 0: return Outcome(reachability: .reachable)
            case EINPROGRESS: waiting.append(pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0))
            default: errors.append(code)
            }
        }
        while !waiting.isEmpty {
            let ready = poll(&waiting, nfds_t(waiting.count), milliseconds(until: deadline))
            if ready < 0 {
                guard errno == EINTR else {
                    return Outcome(reachability: .unreachable(reason: message(errno)))
                }
                continue
            }
            if ready == 0 { return Outcome(reachability: verdict(errors, elseIfNone: .timedOut)) }
            let ended = waiting.filter { $0.revents != 0 }
            waiting.removeAll { $0.revents != 0 }
            let codes = ended.map { pendingError($0.fd) }
            defer { for entry in ended { close(entry.fd) } }
            if let connected = codes.firstIndex(of: 0) {
                return Outcome(reachability: .reachable, roundTrip: roundTrip(of: ended[connected].fd))
            }
            errors += codes
        }
        return Outcome(reachability: verdict(errors, elseIfNone: .nameNotFound))
    }

    private static func roundTrip(of descriptor: Int32) -> Duration? {
        #if os(Linux)
            var info = tcp_info()
            var size = socklen_t(MemoryLayout<tcp_info>.size)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCPOptions.info, &info, &size) == 0 else {
                return nil
            }
            return .microseconds(Int64(info.tcpi_rtt))
        #else
            return nil
        #endif
    }

    /// Returns `refused` if one address refused the connection, because a refusal shows that a host responds. Otherwise
    /// returns `timedOut` if one attempt timed out, or the first error, or `fallback`.
    private static func verdict(_ errors: [Int32], elseIfNone fallback: Reachability) -> Reachability {
        if errors.contains(ECONNREFUSED) { return .refused }
        if fallback == .timedOut || errors.contains(ETIMEDOUT) { return .timedOut }
        return errors.first.map { .unreachable(reason: message($0)) } ?? fallback
    }

    /// Begins to connect. Returns 0, an error, or `EINPROGRESS` with the descriptor of the pending connection.
    private static func start(_ entry: addrinfo) -> (descriptor: Int32, code: Int32) {
        let descriptor = socket(entry.ai_family, entry.ai_socktype, entry.ai_protocol)
        guard descriptor >= 0 else { return (descriptor, errno) }
        var result = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if result == 0 { result = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
        #if canImport(Darwin)
            if result == 0 { result = Darwin.connect(descriptor, entry.ai_addr, entry.ai_addrlen) }
        #else
            if result == 0 { result = Glibc.connect(descriptor, entry.ai_addr, entry.ai_addrlen) }
        #endif
        let code = result == 0 ? 0 : errno
        if code != EINPROGRESS { close(descriptor) }
        return (descriptor, code)
    }

    private static func pendingError(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return errno }
        return code
    }

    /// Returns the milliseconds until a deadline, at most one hour, rounded up so that `poll` is not too early.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
        return Int32(exactly: min(max(left, 0), 3_600_000).rounded(.up)) ?? 0
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}
