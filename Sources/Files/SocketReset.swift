#if canImport(Glibc)
    package import Glibc
#elseif canImport(Darwin)
    package import Darwin
#endif

/// The value of the socket option `SO_LINGER` that makes `close(2)` reset the connection (`socket(7)`).
package enum SocketReset {
    /// A linger time of 0: closing the socket sends RST and drops unsent bytes.
    package static let option = linger(l_onoff: 1, l_linger: 0)
}
