/// The link of the machine.
struct Link {
    /// The status that the kernel knows.
    var isUp = true
    /// The number of addresses that the machine has lost.
    var generation = 0
    /// Packets are dropped, and the kernel does not know.
    var isFading = false
    /// A captive portal responds instead of every server.
    var hasPortal = false
    /// Bytes per second.
    var rate: Double = 1_048_576
    /// The time of the kernel's last report.
    var lastReport: Int64 = 0
    /// Grows with each change, so that a check finds out whether anything has changed since.
    var changes = 0
}
