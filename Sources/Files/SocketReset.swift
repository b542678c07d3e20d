#if canImport(Glibc)
    package import Glibc
#elseif canImport(Darwin)
    package import Darwin
#endif

/// The value of the socket option `SO_LINGER` with which `close(2)` resets the connection of a socket (`socket(7)`).
package enum SocketReset {
    /// A linger time of 0: closing the socket sends RST and drops unsent bytes.
    package static let option = linger(l_onoff: 1, l_linger: 0)
}
