/// The network link of the simulated machine.
struct Link {
    /// True if the link is up according to the kernel.
    var isUp = true
    /// The number of times that the machine lost its address.
    var generation = 0
    /// True if packets are dropped although the kernel reports the link as up.
    var isFading = false
    /// True if a captive portal responds instead of every server.
    var hasPortal = false
    /// The rate in bytes per second.
    var rate: Double = 1_048_576
    /// The time of the kernel's last report to the engine.
    var lastReport: Int64 = 0
    /// The number of changes of the link. A later check uses it to find out whether the link has changed.
    var changes = 0
}
