import FerryConnectivity
import NIOCore

/// The algorithm with which the kernel finds the capacity of a network path (tcp(7), `TCP_CONGESTION`).
///
/// `cubic` and `reno` treat every loss as congestion, and slow down. `bbr` measures the delivery rate instead.
public struct CongestionControl: Hashable, Sendable {
    /// The kernel's name of the algorithm, such as `bbr`, `cubic` or `reno`.
    public let name: String

    /// - Parameter name: 1 to 15 of the characters `a`–`z`, `0`–`9` and `_`; nil results from any other text.
    public init?(_ name: String) {
        guard (1...15).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
        else { return nil }
        self.name = name
    }

    /// The reason why this process cannot use the algorithm, as part of a sentence; nil if the kernel accepts it, or if
    /// no socket can be opened for the check.
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

    func use(on channel: any Channel) {
        #if os(Linux)
            var value: (UInt64, UInt64) = (0, 0)
            withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: name.utf8) }
            channel.setOption(TCPOptions.congestion, value)
        #endif
    }
}
