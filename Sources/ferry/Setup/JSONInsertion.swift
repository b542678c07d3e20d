import Foundation

/// Puts members into the text of a JSON document and leaves every other byte as somebody wrote it.
struct JSONInsertion {
    private(set) var text: [UInt8]

    init(_ text: [UInt8]) { self.text = text }

    /// - Parameter path: The names that lead there from the top.
    func hasObject(_ path: [String]) -> Bool { place(of: path) != nil }

    /// Adds a member as the last one of an object.
    ///
    /// - Parameters:
    ///   - name: Of the member; not there yet.
    ///   - value: A JSON value, lines after the first indented as if the member began a line.
    ///   - object: The names that lead from the top to the object; empty for the top.
    /// - Returns: False if there is no such object.
    @discardableResult mutating func add(_ name: String, _ value: String, to object: [String]) -> Bool {
        guard let place = place(of: object) else { return false }
        let outer = indentation(before: place.start)
        let inner = place.firstMember.map(indentation(before:)) ?? outer + Self.step
        let lines = "\(JSONLine.quoted(name)): \(value)".split(separator: "\n")
        let member = lines.joined(separator: "\n" + inner)
        if let last = place.lastByte {
            // An object on one line stays on one line.
            let isOneLine = !text[place.start..<place.end].contains(0x0A)
            let addition =
                isOneLine
                ? ", " + lines.map { $0.drop { $0 == " " } }.joined(separator: " ") : ",\n\(inner)\(member)"
            text.insert(contentsOf: addition.utf8, at: last + 1)
        } else {
            text.replaceSubrange(
                place.start + 1..<place.end, with: Array("\n\(inner)\(member)\n\(outer)".utf8))
        }
        return true
    }

    private static let step = "  "

    private struct Place {
        /// Of the opening and of the closing brace.
        var start: Int
        var end: Int
        var firstMember: Int?
        /// Of the last member; nil if there is none.
        var lastByte: Int?
    }

    private struct Container {
        var name: String?
        var start: Int
        var isObject: Bool
        var firstMember: Int?
    }

    /// Needs valid JSON.
    private func place(of path: [String]) -> Place? {
        var stack: [Container] = []
        var (string, index, last) = ("", 0, 0)
        while index < text.count {
            switch text[index] {
            case 0x20, 0x09, 0x0A, 0x0D:
                index += 1
                continue
            case UInt8(ascii: "\""):
                let start = index
                index += 1
                while index < text.count, text[index] != UInt8(ascii: "\"") {
                    index += text[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                guard index < text.count else { return nil }
                string = (try? JSONDecoder().decode(String.self, from: Data(text[start...index]))) ?? ""
                if let top = stack.indices.last, stack[top].firstMember == nil {
                    stack[top].firstMember = start
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let isMember = stack.last?.isObject == true
                stack.append(
                    Container(
                        name: isMember ? string : nil, start: index,
                        isObject: text[index] == UInt8(ascii: "{")))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard let ended = stack.last else { return nil }
                if ended.isObject, stack.dropFirst().map(\.name) == path.map(Optional.some) {
                    return Place(
                        start: ended.start, end: index, firstMember: ended.firstMember,
                        lastByte: ended.firstMember == nil ? nil : last)
                }
                stack.removeLast()
            default: break
            }
            last = index
            index += 1
        }
        return nil
    }

    /// The white space that the line of a byte begins with.
    private func indentation(before position: Int) -> String {
        let line = text[..<position].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return String(decoding: text[line...].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }
}
