/// A type and a value inside a netlink message (struct rtattr: u16 length, u16 type, value, padded to 4 bytes).
struct NetlinkAttribute {
    var type: UInt16
    var value: ArraySlice<UInt8>

    /// Returns the attributes after the first `headerLength` bytes. Stops at an attribute with an impossible length.
    static func all(in message: ArraySlice<UInt8>, after headerLength: Int) -> [NetlinkAttribute] {
        var attributes: [NetlinkAttribute] = []
        var rest = message.dropFirst(aligned(headerLength))
        while let length = rest.integer(at: 0, as: UInt16.self).map(Int.init), length >= 4,
            length <= rest.count, let type = rest.integer(at: 2, as: UInt16.self)
        {
            // The two top bits are flags (NLA_F_NESTED, NLA_F_NET_BYTEORDER).
            attributes.append(NetlinkAttribute(type: type & 0x3fff, value: rest.prefix(length).dropFirst(4)))
            rest = rest.dropFirst(aligned(length))
        }
        return attributes
    }

    /// Rounds `length` up to 4 bytes, the alignment in netlink messages. `length` + 3 must not overflow.
    static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// Returns the integer at `offset` in this machine's byte order; nil if it lies outside of the slice.
    func integer<Number: FixedWidthInteger>(at offset: Int, as type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard offset >= 0, count >= size, offset <= count - size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}
