/// Turns the terminal's bytes into keys, independent of the boundaries between reads.
struct InputParser: Sendable {
    private enum State {
        case ground
        case escape
        /// The state after `ESC [`, with the parameter bytes.
        case control([UInt8])
        /// The state after `ESC O`.
        case singleShift
        case unicode([UInt8], missing: Int)
        /// A control string (OSC, DCS, APC, PM), which is ignored up to its terminator.
        case string(length: Int, afterEscape: Bool)
        case paste(PasteBuffer)
    }

    /// The maximum number of bytes of one paste; the rest is dropped.
    static let pasteLimit = 4 << 20
    private static let longestString = 4096

    private var state = State.ground

    /// True after a lone ESC, or within a sequence.
    var isWaiting: Bool {
        switch state {
        case .ground, .paste: false
        case .escape, .control, .singleShift, .unicode, .string: true
        }
    }

    var isAtStart: Bool { if case .ground = state { true } else { false } }

    mutating func feed(_ bytes: some Collection<UInt8>) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let byte = rest.first {
            if case .paste = state {
                rest = rest.dropFirst(paste(rest, &keys))
            } else {
                step(byte, &keys)
                rest = rest.dropFirst()
            }
        }
        return keys
    }

    /// Ends the wait for more bytes: a lone ESC becomes the Escape key.
    mutating func flush() -> [Key] {
        guard isWaiting else { return [] }
        defer { state = .ground }
        return if case .escape = state { [.escape] } else { [] }
    }

    private mutating func step(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground:
            ground(byte, &keys)
        case .escape:
            afterEscape(byte, &keys)
        case .singleShift:
            state = .ground
            if let key = Self.key(final: byte, parameters: []) { keys.append(key) }
        case .control(let parameters):
            control(byte, parameters, &keys)
        case .unicode(let bytes, let missing):
            unicode(byte, bytes, missing, &keys)
        case .string(let length, let afterEscape):
            let isEnd = byte == 0x07 || (afterEscape && byte == 0x5C)
            state =
                isEnd || length >= Self.longestString
                ? .ground : .string(length: length + 1, afterEscape: byte == 0x1B)
        case .paste:
            break  // read by `paste`, many bytes at once
        }
    }

    /// Adds bytes up to the next `~`, which can end the end marker, to the paste. Returns their number.
    private mutating func paste(_ bytes: some Collection<UInt8>, _ keys: inout [Key]) -> Int {
        guard case .paste(var buffer) = state else { return 0 }
        state = .ground  // so that the buffer has one owner and is not copied
        let end = bytes.firstIndex(of: PasteBuffer.last).map { bytes.index(after: $0) } ?? bytes.endIndex
        let chunk = bytes[..<end]
        if let text = buffer.append(chunk) {
            keys.append(.paste(text, isComplete: buffer.isComplete))
        } else {
            state = .paste(buffer)
        }
        return chunk.count
    }

    private mutating func ground(_ byte: UInt8, _ keys: inout [Key]) {
        state = .ground
        switch byte {
        case 0x1B: state = .escape
        case 0x0D, 0x0A: keys.append(.enter)
        case 0x09: keys.append(.tab)
        case 0x7F, 0x08: keys.append(.backspace)
        case 0x01..<0x1B: keys.append(.control(Character(Unicode.Scalar(byte + 0x60))))
        case 0x20..<0x7F: keys.append(.character(Character(Unicode.Scalar(byte))))
        case 0xC2...0xDF: state = .unicode([byte], missing: 1)
        case 0xE0...0xEF: state = .unicode([byte], missing: 2)
        case 0xF0...0xF4: state = .unicode([byte], missing: 3)
        default: break
        }
    }

    private mutating func afterEscape(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case 0x5B: state = .control([])
        case 0x4F: state = .singleShift
        case 0x5D, 0x50, 0x5F, 0x5E: state = .string(length: 0, afterEscape: false)
        case 0x1B: keys.append(.escape)
        case 0x21..<0x7F:
            state = .ground
            keys.append(.alt(Character(Unicode.Scalar(byte))))
        default:
            keys.append(.escape)
            ground(byte, &keys)
        }
    }

    private mutating func control(_ byte: UInt8, _ parameters: [UInt8], _ keys: inout [Key]) {
        switch byte {
        case 0x40...0x7E:
            state = .ground
            if byte == 0x7E, parameters.elementsEqual("200".utf8) {
                state = .paste(PasteBuffer())
            } else if let key = Self.key(final: byte, parameters: parameters) {
                keys.append(key)
            }
        case 0x1B: state = .escape
        case 0x20..<0x40 where parameters.count < 64: state = .control(parameters + [byte])
        default: state = .ground
        }
    }

    private mutating func unicode(_ byte: UInt8, _ bytes: [UInt8], _ missing: Int, _ keys: inout [Key]) {
        guard byte & 0xC0 == 0x80 else { return ground(byte, &keys) }
        let bytes = bytes + [byte]
        state = missing == 1 ? .ground : .unicode(bytes, missing: missing - 1)
        guard missing == 1, let character = String(validating: bytes, as: UTF8.self)?.first else { return }
        keys.append(.character(character))
    }

    private static func key(final: UInt8, parameters: [UInt8]) -> Key? {
        if parameters.first == 0x3C { return mouse(final: final, parameters: parameters.dropFirst()) }
        let numbers = numbers(in: parameters)
        let shift = numbers.count > 1 && numbers[1] == 2
        switch final {
        case UInt8(ascii: "A"): return shift ? .shiftUp : .up
        case UInt8(ascii: "B"): return shift ? .shiftDown : .down
        case UInt8(ascii: "C"): return .right
        case UInt8(ascii: "D"): return .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "Z"): return .backTab
        case UInt8(ascii: "M"): return parameters.isEmpty ? .enter : nil
        // `ESC [ 1 ; n R` is F3 with a modifier, not a cursor position.
        case UInt8(ascii: "R") where numbers.count == 2 && numbers[0] > 1 && numbers[1] > 0:
            return .cursorPosition(Point(row: numbers[0] - 1, column: numbers[1] - 1))
        case UInt8(ascii: "P")...UInt8(ascii: "S"): return .function(Int(final) - 0x4F)
        case UInt8(ascii: "~"): return edit(number: numbers.first ?? 0)
        default: return nil
        }
    }

    private static func edit(number: Int) -> Key? {
        switch number {
        case 1, 7: .home
        case 2: .insert
        case 3: .delete
        case 4, 8: .end
        case 5: .pageUp
        case 6: .pageDown
        case 11...15: .function(number - 10)
        case 17...21: .function(number - 11)
        case 23, 24: .function(number - 12)
        default: nil
        }
    }

    /// Reads a mouse report (SGR, xterm's mode 1006): button, column, row. `M` is a press or the wheel, `m` a release.
    private static func mouse(final: UInt8, parameters: ArraySlice<UInt8>) -> Key? {
        let numbers = numbers(in: Array(parameters))
        guard numbers.count == 3, (1...9999).contains(numbers[1]), (1...9999).contains(numbers[2]) else {
            return nil
        }
        let point = Point(row: numbers[2] - 1, column: numbers[1] - 1)
        let button = numbers[0] & ~0x1C  // without shift, alt and control
        guard button & 0x20 == 0 else { return nil }  // a movement
        switch (final, button) {
        case (UInt8(ascii: "m"), _): return .release(point)
        case (UInt8(ascii: "M"), 64): return .wheel(-3, point)
        case (UInt8(ascii: "M"), 65): return .wheel(3, point)
        case (UInt8(ascii: "M"), 0...2): return .press(button: button, point)
        default: return nil
        }
    }

    private static func numbers(in parameters: [UInt8]) -> [Int] {
        String(decoding: parameters, as: UTF8.self).split(separator: ";", omittingEmptySubsequences: false)
            .map { Int($0) ?? 0 }
    }
}

/// Collects the bytes of a bracketed paste up to its end marker.
private struct PasteBuffer {
    private static let end: [UInt8] = Array("\u{1B}[201~".utf8)
    static let last = UInt8(ascii: "~")

    private var bytes: [UInt8] = []
    /// The beginning of a paste beyond the limit.
    private var kept: [UInt8]?

    var isComplete: Bool { kept == nil }

    /// Returns the pasted text once the end marker is complete.
    mutating func append(_ chunk: some Collection<UInt8>) -> String? {
        bytes.append(contentsOf: chunk)
        let isEnd = bytes.suffix(Self.end.count).elementsEqual(Self.end)
        let length = bytes.count - (isEnd ? Self.end.count : 0)
        if kept == nil, length > InputParser.pasteLimit + (isEnd ? 0 : Self.end.count) {
            kept = Array(bytes.prefix(InputParser.pasteLimit))
        }
        if isEnd { return PastedText.decode(kept?[...] ?? bytes[..<length]) }
        // Drops bytes beyond the limit, except those that may begin the end marker.
        if kept != nil { bytes.removeFirst(max(0, bytes.count - Self.end.count)) }
        return nil
    }
}

enum PastedText {
    /// Decodes pasted text. Terminals send line ends as carriage returns.
    static func decode(_ bytes: some Collection<UInt8>) -> String {
        var (text, last) = ([UInt8](), UInt8(0))
        for byte in bytes {
            if byte != 0x0A || last != 0x0D { text.append(byte == 0x0D ? 0x0A : byte) }
            last = byte
        }
        return String(decoding: text, as: UTF8.self)
    }
}
