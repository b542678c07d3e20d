/// A shell pattern for one component of a path: `*`, `?`, `[a-z]`, `[!a]`. A backslash makes the next byte literal. `?`
/// and a set match one Unicode scalar.
struct GlobPattern: Sendable {
    private enum Token: Equatable, Sendable {
        case byte(UInt8)
        case anyOne
        case anyMany
        case set([ClosedRange<UInt32>], isNegated: Bool)
    }

    private let tokens: [Token]

    static func isPattern(_ text: some Sequence<UInt8>) -> Bool {
        text.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "[") }
    }

    init(_ bytes: [UInt8]) {
        var tokens: [Token] = []
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "*"): if tokens.last != .anyMany { tokens.append(.anyMany) }
            case UInt8(ascii: "?"): tokens.append(.anyOne)
            case UInt8(ascii: "["):
                if let (set, end) = Self.set(bytes, from: index + 1) {
                    tokens.append(set)
                    index = end
                } else {
                    tokens.append(.byte(bytes[index]))
                }
            case UInt8(ascii: "\\") where index + 1 < bytes.count:
                index += 1
                tokens.append(.byte(bytes[index]))
            default: tokens.append(.byte(bytes[index]))
            }
            index += 1
        }
        self.tokens = tokens
    }

    /// Returns whether the pattern matches the whole `name`. A dot at its beginning needs a dot, as in the shell.
    func matches(_ name: [UInt8]) -> Bool {
        if name.first == UInt8(ascii: "."), tokens.first != .byte(UInt8(ascii: ".")) { return false }
        // Backtracks to the last star only, so that no pattern needs more than quadratic time.
        var (token, position) = (0, 0)
        var star: (token: Int, position: Int)?
        while position < name.count {
            if token < tokens.count, tokens[token] == .anyMany {
                star = (token, position)
                token += 1
            } else if token < tokens.count,
                let length = Self.length(of: tokens[token], at: position, in: name)
            {
                token += 1
                position += length
            } else if let last = star {
                star = (last.token, last.position + 1)
                (token, position) = (last.token + 1, last.position + 1)
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .anyMany }
    }

    private static func length(of token: Token, at position: Int, in name: [UInt8]) -> Int? {
        switch token {
        case .byte(let byte): return name[position] == byte ? 1 : nil
        case .anyMany: return nil
        case .anyOne: return scalar(at: position, in: name).length
        case .set(let ranges, let isNegated):
            let (value, length) = scalar(at: position, in: name)
            return ranges.contains { $0.contains(value) } != isNegated ? length : nil
        }
    }

    /// Returns the scalar at `position`, and its length. A byte of invalid UTF-8 counts as above all scalars.
    private static func scalar(at position: Int, in bytes: [UInt8]) -> (value: UInt32, length: Int) {
        var iterator = bytes[position...].makeIterator()
        var decoder = UTF8()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
            return (0x11_0000 + UInt32(bytes[position]), 1)
        }
        return (scalar.value, UTF8.width(scalar))
    }

    private static func set(_ bytes: [UInt8], from start: Int) -> (Token, end: Int)? {
        var index = start
        var isNegated = false
        if index < bytes.count, bytes[index] == UInt8(ascii: "!") || bytes[index] == UInt8(ascii: "^") {
            isNegated = true
            index += 1
        }
        var ranges: [ClosedRange<UInt32>] = []
        let first = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "]") || index == first {
            let low = scalar(at: index, in: bytes)
            index += low.length
            var high = low
            if index + 1 < bytes.count, bytes[index] == UInt8(ascii: "-"),
                bytes[index + 1] != UInt8(ascii: "]")
            {
                let end = scalar(at: index + 1, in: bytes)
                if end.value >= low.value {
                    high = end
                    index += 1 + end.length
                }
            }
            ranges.append(low.value...high.value)
        }
        return index < bytes.count ? (.set(ranges, isNegated: isNegated), index) : nil
    }
}
