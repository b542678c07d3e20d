/// A colour by its red, green and blue parts, for terminals with 24-bit colours.
package struct RGB: Hashable, Sendable {
    let red, green, blue: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Reads a colour such as `#5fafff`; nil for any other text.
    package init?(_ text: String) {
        let digits = text.dropFirst()
        guard text.first == "#", digits.count == 6, digits.allSatisfy(\.isHexDigit),
            let value = UInt32(digits, radix: 16)
        else { return nil }
        self.init(UInt8(value >> 16), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF))
    }

    /// Creates one of xterm's 256 colours: 16 that users can change, a cube, and a ramp of greys.
    init(palette number: Int) {
        switch number {
        case 232...:
            let grey = UInt8(clamping: 8 + 10 * (number - 232))
            self.init(grey, grey, grey)
        case 16...:
            let parts = [(number - 16) / 36, (number - 16) / 6 % 6, (number - 16) % 6].map(Self.step)
            self.init(parts[0], parts[1], parts[2])
        default:
            self = Self.named[max(0, number)]
        }
    }

    /// The most similar of xterm's 256 colours, without the first 16, which users can change.
    var nearestInPalette: Int {
        (16...255).min { distance(to: RGB(palette: $0)) < distance(to: RGB(palette: $1)) } ?? 16
    }

    /// The number in terminals with 24-bit colours. Some (`xterm-direct256`) read numbers below 256 as palette numbers,
    /// so black and pure blues get a step of green.
    var directNumber: Int {
        let number = Int(red) << 16 | Int(green) << 8 | Int(blue)
        return number < 256 ? number + 256 : number
    }

    private func distance(to other: RGB) -> Int {
        [(red, other.red), (green, other.green), (blue, other.blue)].reduce(0) { sum, pair in
            let difference = Int(pair.0) - Int(pair.1)
            return sum + difference * difference
        }
    }

    private static func step(_ index: Int) -> UInt8 { index == 0 ? 0 : UInt8(clamping: 55 + 40 * index) }

    private static let named = [
        RGB(0, 0, 0), RGB(205, 0, 0), RGB(0, 205, 0), RGB(205, 205, 0), RGB(0, 0, 238), RGB(205, 0, 205),
        RGB(0, 205, 205), RGB(229, 229, 229), RGB(127, 127, 127), RGB(255, 0, 0), RGB(0, 255, 0),
        RGB(255, 255, 0), RGB(92, 92, 255), RGB(255, 0, 255), RGB(0, 255, 255), RGB(255, 255, 255),
    ]
}
