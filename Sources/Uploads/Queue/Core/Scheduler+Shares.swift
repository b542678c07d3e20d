import FerryProtocols

/// The shares of a slot that uploads occupy.
///
/// Large files occupy more shares, up to the whole slot, so that fewer run at once. Many servers discard all bytes of a
/// broken request: if 32 uploads of 1 MiB share a link that carries 16 MiB before it breaks, none is complete.
extension Scheduler {
    /// The maximum size of a small upload. A larger one occupies a small upload's shares for each started `small` bytes.
    static let small: ByteCount = 64 << 10
    /// The number of shares that a small upload occupies at a host without growth. With growth, one below this size
    /// occupies fewer, so that the bytes under way remain the same.
    private static let sharesOfSmall = HostGrowth<ContinuousClock.Instant>.most
    /// A configuration of a library's user can have any number.
    private static let mostSlots = 1 << 16

    /// Returns the limits for this many slots, each of which `inSlot` small uploads can share.
    static func limits(total: Int, perHost: Int, inSlot: Int) -> Limits {
        let slot = slot(inSlot: inSlot)
        return Limits(
            total: min(total, mostSlots) * slot, perHost: min(perHost, mostSlots) * slot, slot: slot)
    }

    /// Returns the number of shares in a slot that this many small uploads can share.
    static func slot(inSlot: Int) -> Int { min(inSlot, mostSlots) * sharesOfSmall }

    /// Returns the number of shares that an upload of `size` bytes occupies.
    ///
    /// - Parameter growth: The number of small uploads at the host, relative to the usual number: 1, 2 or 4.
    static func share(ofSize size: ByteCount, inSlot: Int, growth: Int) -> Int {
        // If the user has set a number, each upload occupies a slot.
        let growth = inSlot > 1 && size <= small ? growth : 1
        let part = small / ByteCount(growth)
        let parts = max(1, size / part + (size % part > 0 ? 1 : 0))
        let slot = slot(inSlot: inSlot)
        // Limits the parts first, as the product can be too large.
        return min(slot, min(Int(clamping: parts), slot) * (sharesOfSmall / growth))
    }

    static func share(of run: RunTable.Run, inSlot: Int) -> Int {
        share(ofSize: run.size, inSlot: inSlot, growth: run.growth)
    }
}
