/// The natural sort of names: `file10` comes after `file9`, and the case of the letters A to Z does not matter.
package enum NaturalOrder {
    /// Returns the sort key of a path: its last component in lower case, with the length of each number before it. No
    /// byte is 0, so that the screen can pad short keys with zeros.
    package static func key(of path: [UInt8]) -> [UInt8] {
        var key: [UInt8] = []
        path.withUnsafeBufferPointer { path in
            var index = (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
            while index < path.count {
                let byte = path[index]
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"):
                    index = writeNumber(from: index, of: path, to: &key)
                    continue
                case UInt8(ascii: "A")...UInt8(ascii: "Z"): key.append(byte + 32)
                default: key.append(max(1, byte))
                }
                index += 1
            }
        }
        return key
    }

    private static func writeNumber(
        from start: Int, of path: UnsafeBufferPointer<UInt8>, to key: inout [UInt8]
    ) -> Int {
        func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
        var (first, end) = (start, start)
        while end < path.count, isDigit(path[end]) { end += 1 }
        while first < end, path[first] == UInt8(ascii: "0") { first += 1 }
        key.append(UInt8(ascii: "0"))
        key.append(UInt8(clamping: end - first + 1))
        key.append(contentsOf: UnsafeBufferPointer(rebasing: path[first..<end]))
        return end
    }

    /// Returns whether `left` precedes `right`. If the names differ only in the case of letters or in leading zeros,
    /// their bytes are compared.
    static func precedes(_ left: (name: [UInt8], key: [UInt8]), _ right: (name: [UInt8], key: [UInt8]))
        -> Bool
    {
        left.key == right.key
            ? left.name.lexicographicallyPrecedes(right.name) : left.key.lexicographicallyPrecedes(right.key)
    }
}
