/// The natural sort of names: `file9` before `file10`. The case of ASCII letters is ignored.
enum NaturalOrder {
    /// Returns whether `left` precedes `right`. Names that differ only in case or leading zeros are compared by bytes.
    static func precedes(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        var (first, second) = (0, 0)
        while first < left.count, second < right.count {
            if isDigit(left[first]), isDigit(right[second]) {
                let (one, other) = (number(left, from: first), number(right, from: second))
                // Without leading zeros the longer number is the larger one, however long.
                if one.count != other.count { return one.count < other.count }
                if !one.elementsEqual(other) { return one.lexicographicallyPrecedes(other) }
                (first, second) = (one.endIndex, other.endIndex)
            } else {
                let (one, other) = (lowercase(left[first]), lowercase(right[second]))
                if one != other { return one < other }
                (first, second) = (first + 1, second + 1)
            }
        }
        let rests = (left.count - first, right.count - second)
        if (rests.0 == 0) != (rests.1 == 0) { return rests.0 == 0 }
        return left.lexicographicallyPrecedes(right)
    }

    private static func number(_ name: [UInt8], from start: Int) -> ArraySlice<UInt8> {
        let digits = name[start...].prefix(while: isDigit)
        return digits.drop { $0 == UInt8(ascii: "0") }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }
}
