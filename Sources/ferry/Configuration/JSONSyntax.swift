import Foundation

/// Where a text stops being JSON (RFC 8259). Decoders take more than that, such as a comma behind the last member, and
/// do not tell people the place.
struct JSONSyntax {
    enum Flaw: Error, Equatable {
        case endsTooEarly
        /// Bytes from the start, and what is wrong there.
        case at(Int, String)
    }

    private let bytes: [UInt8]
    private var position = 0
    /// The names in each object that is open, as they are written.
    private var names: [Set<ArraySlice<UInt8>>] = []

    /// - Returns: nil if it is JSON, or not written in UTF-8, of which decoders know more.
    static func flaw(in data: Data) -> Flaw? {
        let start = data.prefix(2)
        guard !start.contains(0), ![[0xFE, 0xFF], [0xFF, 0xFE]].contains(Array(start)) else { return nil }
        var syntax = JSONSyntax(bytes: Array(data))
        do throws(Flaw) { try syntax.document() } catch { return error }
        return nil
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// Lists and objects that are open are counted here and not by calls: there may be any number.
    private mutating func document() throws(Flaw) {
        // The mark that some editors put in front of UTF-8.
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        var closings: [UInt8] = []
        var isWhole = false
        repeat {
            isWhole = try beginsAndEndsValue(&closings)
            while isWhole, let closing = closings.last {
                isWhole = try ends(closing)
                if isWhole { closings.removeLast() }
            }
        } while !isWhole
        skipBlanks()
        if position < bytes.count { throw flaw("something follows its end") }
    }

    /// - Returns: False if a list or an object has begun, and a value is to follow that is in it.
    private mutating func beginsAndEndsValue(_ closings: inout [UInt8]) throws(Flaw) -> Bool {
        skipBlanks()
        switch try next() {
        case .openBrace:
            position += 1
            skipBlanks()
            if take(.closeBrace) { return true }
            closings.append(.closeBrace)
            names.append([])
            try memberName()
            return false
        case .openBracket:
            position += 1
            skipBlanks()
            if take(.closeBracket) { return true }
            closings.append(.closeBracket)
            return false
        case .quote: try text()
        case .minus, .zero ... .nine: try number()
        default: try word()
        }
        return true
    }

    /// - Returns: False if a comma stands there, and another value is to follow.
    private mutating func ends(_ closing: UInt8) throws(Flaw) -> Bool {
        skipBlanks()
        if try next() == closing {
            position += 1
            if closing == .closeBrace { names.removeLast() }
            return true
        }
        let comma = position
        guard take(.comma) else { throw flaw("expected a comma or \(Self.sign(closing))") }
        skipBlanks()
        if try next() == closing { throw .at(comma, "a comma before \(Self.sign(closing))") }
        if closing == .closeBrace { try memberName() }
        return false
    }

    private mutating func memberName() throws(Flaw) {
        skipBlanks()
        guard try next() == .quote else { throw flaw("expected a name in double quotes") }
        let start = position
        try text()
        let name = bytes[start..<position]
        // Decoders take one of the two, and do not tell which (RFC 8259 §4).
        guard names[names.count - 1].insert(name).inserted else {
            throw .at(start, "the name \(String(decoding: name, as: UTF8.self)) is there twice")
        }
        skipBlanks()
        _ = try next()
        guard take(.colon) else { throw flaw("expected a colon") }
    }

    private mutating func text() throws(Flaw) {
        position += 1
        while true {
            switch try next() {
            case .quote:
                position += 1
                return
            case 0..<0x20:
                throw flaw("a text that does not end on its line, or has a control character in it")
            case .backslash:
                position += 1
                try escape()
            default: position += 1
            }
        }
    }

    private mutating func escape() throws(Flaw) {
        let isNumber = try next() == UInt8(ascii: "u")
        guard isNumber || Array(#"\"/bfnrt"#.utf8).contains(bytes[position]) else {
            throw flaw("a backslash before what needs none; one that is meant is written twice")
        }
        position += 1
        guard isNumber else { return }
        for _ in 0..<4 {
            guard Character(Unicode.Scalar(try next())).isHexDigit else {
                throw flaw("expected four hexadecimal digits")
            }
            position += 1
        }
    }

    private mutating func number() throws(Flaw) {
        _ = take(.minus)
        if !take(.zero) { try digits() }
        if take(UInt8(ascii: ".")) { try digits() }
        guard take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) else { return }
        if !take(UInt8(ascii: "+")) { _ = take(.minus) }
        try digits()
    }

    private mutating func digits() throws(Flaw) {
        guard case .zero ... .nine = try next() else { throw flaw("expected a digit") }
        while position < bytes.count, case .zero ... .nine = bytes[position] { position += 1 }
    }

    private mutating func word() throws(Flaw) {
        for word in ["true", "false", "null"] {
            if word.utf8.starts(with: bytes[position...]), position + word.utf8.count > bytes.count {
                throw .endsTooEarly
            }
            guard bytes[position...].starts(with: word.utf8) else { continue }
            position += word.utf8.count
            return
        }
        throw flaw("invalid value")
    }

    private mutating func skipBlanks() {
        while position < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[position]) { position += 1 }
    }

    private func next() throws(Flaw) -> UInt8 {
        guard position < bytes.count else { throw .endsTooEarly }
        return bytes[position]
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private func flaw(_ reason: String) -> Flaw { .at(position, reason) }
    private static func sign(_ byte: UInt8) -> Character { Character(Unicode.Scalar(byte)) }
}

extension JSONSyntax.Flaw {
    /// `line 3, column 7: a comma before }`, by the characters of the line.
    func text(in data: Data) -> String {
        switch self {
        case .endsTooEarly: return "it ends too early"
        case .at(let offset, let reason):
            let before = data.prefix(offset)
            let line = before.count { $0 == 0x0A } + 1
            let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? before.startIndex
            return
                "line \(line), column \(String(decoding: before[start...], as: UTF8.self).count + 1): \(reason)"
        }
    }
}

extension UInt8 {
    fileprivate static let quote = UInt8(ascii: "\"")
    fileprivate static let backslash = UInt8(ascii: "\\")
    fileprivate static let comma = UInt8(ascii: ",")
    fileprivate static let colon = UInt8(ascii: ":")
    fileprivate static let minus = UInt8(ascii: "-")
    fileprivate static let zero = UInt8(ascii: "0")
    fileprivate static let nine = UInt8(ascii: "9")
    fileprivate static let openBrace = UInt8(ascii: "{")
    fileprivate static let closeBrace = UInt8(ascii: "}")
    fileprivate static let openBracket = UInt8(ascii: "[")
    fileprivate static let closeBracket = UInt8(ascii: "]")
}
