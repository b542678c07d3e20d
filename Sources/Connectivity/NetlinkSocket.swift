#if os(Linux)
    import FerryFiles
    import Glibc

    /// A socket to the kernel's routing tables. It belongs to the network namespace of the thread that opened it.
    struct NetlinkSocket {
        enum Reading {
            case messages([NetlinkMessage])
            case empty
            /// Messages were lost: the socket's buffer in the kernel was full (ENOBUFS), or ours was too short.
            case lost
        }

        let descriptor: Int32
        let port: UInt32

        // Larger than any message of the kernel, which sends dumps in messages of at most 32 KiB.
        private static let bufferSize = 65_536
        // RTMGRP_LINK, RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR, RTMGRP_IPV6_ROUTE.
        private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
        private static let routingProtocol: Int32 = 0

        /// - Throws: `SystemCallError` if the socket cannot be opened, for example in a sandbox that forbids netlink.
        init() throws(SystemCallError) {
            let type = Int32(SOCK_RAW.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            let descriptor = socket(AF_NETLINK, type, Self.routingProtocol)
            guard descriptor >= 0 else { throw SystemCallError("socket") }
            do throws(SystemCallError) {
                port = try Self.bind(descriptor)
            } catch {
                close(descriptor)
                throw error
            }
            self.descriptor = descriptor
        }

        private static func bind(_ descriptor: Int32) throws(SystemCallError) -> UInt32 {
            var address = KernelAddress()
            address.groups = groups
            let size = socklen_t(MemoryLayout<KernelAddress>.size)
            let bound = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(descriptor, $0, size) }
            }
            guard bound == 0 else { throw SystemCallError("bind") }
            var actualSize = size
            let named = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getsockname(descriptor, $0, &actualSize)
                }
            }
            guard named == 0 else { throw SystemCallError("getsockname") }
            return address.port
        }

        func send(_ request: NetworkView.Request) throws(SystemCallError) {
            let bytes = request.bytes
            while Glibc.send(descriptor, bytes, bytes.count, 0) < 0 {
                guard errno == EINTR else { throw SystemCallError("send") }
            }
        }

        func read() throws(SystemCallError) -> Reading {
            var buffer = [UInt8](repeating: 0, count: Self.bufferSize)
            while true {
                var sender = KernelAddress()
                var senderSize = socklen_t(MemoryLayout<KernelAddress>.size)
                let count = withUnsafeMutablePointer(to: &sender) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        recvfrom(descriptor, &buffer, buffer.count, Int32(MSG_TRUNC), $0, &senderSize)
                    }
                }
                switch (count, errno) {
                case (..<0, EINTR): continue
                case (..<0, EAGAIN): return .empty
                case (..<0, ENOBUFS): return .lost
                case (..<0, let code): throw SystemCallError(call: "recv", code: Errno(rawValue: code))
                default: break
                }
                // Port 0 is the kernel. Messages from other senders are ignored.
                guard sender.port == 0 else { continue }
                // With MSG_TRUNC the count is the length of the message, not of the part that fitted.
                guard count <= buffer.count else { return .lost }
                return .messages(NetlinkMessage.parse(Array(buffer.prefix(count))))
            }
        }
    }

    /// struct sockaddr_nl, which the C library's module leaves out.
    private struct KernelAddress {
        var family = UInt16(AF_NETLINK)
        var padding: UInt16 = 0
        /// The port number of a socket; the kernel's is 0. In `bind`, 0 lets the kernel choose.
        var port: UInt32 = 0
        var groups: UInt32 = 0
    }

    extension NetworkView.Request {
        /// The request: struct nlmsghdr, then struct rtgenmsg padded to 4 bytes. Its family 0 means all families.
        fileprivate var bytes: [UInt8] {
            let type: UInt16 =
                switch part {
                case .links: 18  // RTM_GETLINK
                case .addresses: 22  // RTM_GETADDR
                case .routes: 26  // RTM_GETROUTE
                }
            let flags: UInt16 = 0x301  // NLM_F_REQUEST | NLM_F_DUMP
            var bytes: [UInt8] = []
            withUnsafeBytes(of: UInt32(20)) { bytes += $0 }
            withUnsafeBytes(of: type) { bytes += $0 }
            withUnsafeBytes(of: flags) { bytes += $0 }
            withUnsafeBytes(of: sequence) { bytes += $0 }
            return bytes + [UInt8](repeating: 0, count: 8)
        }
    }
#endif
