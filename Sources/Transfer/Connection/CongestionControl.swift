import FerryConnectivity
import NIOCore

/// The algorithm with which the kernel finds the capacity of a network path (tcp(7), `TCP_CONGESTION`).
///
/// The algorithm determines the rate on a network path that loses packets. `cubic` and `reno` treat every loss as
/// congestion, and slow down. `bbr` measures the delivery rate instead.
public struct CongestionControl: Hashable, Sendable {
    /// The kernel's name of the algorithm, such as `bbr`, `cubic` or `reno`.
    public let name: String

    /// - Parameter name: The kernel's name of the algorithm: 1 to 15 of the characters `a`–`z`, `0`–`9` and `_`. The
    ///   result is nil for any other text.
    public init?(_ name: String) {
        guard (1...15).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
        else { return nil }
        self.name = name
    }

    /// The reason why this process cannot use the algorithm, as part of a sentence. Nil if the kernel accepts the
    /// algorithm, or if no socket can be opened for the check. On systems other than Linux, there is always a reason.
    public var refusal: String? {
        #if os(Linux)
            switch TCPOptions.refusal(ofCongestionControl: name) {
            case nil: return nil
            case .noSuchFileOrDirectory?:
                return "this kernel has no \(name) (`sysctl net.ipv4.tcp_available_congestion_control`)"
            case .notPermitted?:
                return "\(name) is not allowed here (`sysctl net.ipv4.tcp_allowed_congestion_control`)"
            case let code?: return code.description
            }
        #else
            "this system does not let programs choose"
        #endif
    }

    /// Sets the algorithm for `channel`. If the kernel refuses the algorithm, or if the system is not Linux, the
    /// channel uses the system's default.
    func use(on channel: any Channel) {
        #if os(Linux)
            var value: (UInt64, UInt64) = (0, 0)
            withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: name.utf8) }
            channel.setOption(TCPOptions.congestion, value)
        #endif
    }
}
