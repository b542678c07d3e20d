import FerryProtocols

/// The shares of a slot that uploads occupy.
///
/// Large files occupy more shares, up to the whole slot, so that fewer run at once. Many servers discard all bytes of a
/// broken request: if 32 uploads of 1 MiB share a link that carries 16 MiB before it breaks, none is complete.
extension Scheduler {
    /// The part of a file for which an upload occupies the place of one small upload.
    private static let unit: ByteCount = 64 << 10
    /// The number of shares in the place of one small upload. At a host with growth, a smaller upload takes fewer, so
    /// that the bytes under way remain the same.
    private static let sharesOfUnit = HostGrowth<ContinuousClock.Instant>.most

    /// Returns the number of shares in a slot that `small` uploads can share.
    static func slot(small: Int) -> Int { small * sharesOfUnit }

    /// Returns the number of shares that an upload of `size` bytes occupies.
    ///
    /// - Parameter growth: The number of small uploads at the host, relative to the usual number: 1, 2 or 4.
    static func share(ofSize size: ByteCount, small: Int, growth: Int) -> Int {
        let part = unit / ByteCount(growth)
        let parts = max(1, size / part + (size % part > 0 ? 1 : 0))
        let slots = slot(small: small)
        // Limits the parts first, as the product can be too large.
        return min(slots, min(Int(clamping: parts), slots) * (sharesOfUnit / growth))
    }

    static func share(of run: RunTable.Run, small: Int) -> Int {
        share(ofSize: run.size, small: small, growth: run.growth)
    }
}
