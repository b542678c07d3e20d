import FerryConnectivity
import NIOCore

/// The algorithm with which the kernel finds the capacity of a network path (tcp(7), `TCP_CONGESTION`).
///
/// The algorithm determines the rate on a network path that loses packets. `cubic` and `reno` treat a loss as
/// congestion and slow down for each one; `bbr` measures the delivery rate.
public struct CongestionControl: Hashable, Sendable {
    /// The kernel's name of the algorithm: `bbr`, `cubic`, `reno`.
    public let name: String

    /// - Returns: nil if the name is not valid for a kernel. A valid name has 1 to 15 bytes of `a`–`z`, `0`–`9` and
    ///   `_`.
    public init?(_ name: String) {
        guard (1...15).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
        else { return nil }
        self.name = name
    }

    /// The reason why this process cannot use the algorithm, as part of a sentence; nil if it can, or if that cannot be
    /// checked. If the kernel refuses the algorithm, connections use the system's default.
    public var refusal: String? {
        #if os(Linux)
            switch TCPOptions.refusal(ofCongestionControl: name) {
            case nil: return nil
            case .noSuchFileOrDirectory?:
                return "this kernel has no \(name) (sysctl net.ipv4.tcp_available_congestion_control)"
            case .notPermitted?:
                return "\(name) is not allowed here (sysctl net.ipv4.tcp_allowed_congestion_control)"
            case let code?: return code.description
            }
        #else
            "this system does not let programs choose"
        #endif
    }

    /// Sets the algorithm for `channel`, if the kernel allows it.
    func use(on channel: any Channel) {
        #if os(Linux)
            guard let provider = channel as? any SocketOptionProvider else { return }
            var value: (UInt64, UInt64) = (0, 0)
            withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: name.utf8) }
            // A Unix socket has no congestion control.
            provider.unsafeSetSocketOption(
                level: .tcp, name: NIOBSDSocket.Option(rawValue: TCPOptions.congestion), value: value
            ).whenFailure { _ in }
        #endif
    }
}
