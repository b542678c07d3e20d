/// Where in the text of a queue a mistake is, for somebody who looks at it with an editor.
struct JSONPlace: Hashable {
    /// Counted from 1.
    var line = 1
    /// In characters, counted from 1.
    var column = 1
    /// The upload and the members around the place, from the outside in: `upload 7`, `state.category`.
    var names: [String] = []

    private struct Container {
        var start: Int
        var isObject: Bool
        var key: String?
        /// Elements of an array before the current one.
        var index = 0
    }

    /// Needs a text that is valid JSON up to `position`, and makes the best of any other.
    init(of position: Int, in text: UnsafeBufferPointer<UInt8>) {
        let end = min(position, text.count)
        for index in 0..<end {
            if text[index] == 0x0A {
                (line, column) = (line + 1, 1)
            } else if text[index] & 0xC0 != 0x80 {
                column += 1
            }
        }
        names = Self.names(around: end, in: text)
    }

    /// `line 12, column 5: upload 7: state`
    var text: String { (["line \(line), column \(column)"] + names).joined(separator: ": ") }

    private static func names(around end: Int, in text: UnsafeBufferPointer<UInt8>) -> [String] {
        var stack: [Container] = []
        var lastString = ""
        var index = 0
        while index < end {
            switch text[index] {
            case UInt8(ascii: "\""):
                let start = index + 1
                index = start
                while index < end, text[index] != UInt8(ascii: "\"") {
                    index += text[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                lastString = String(
                    decoding: UnsafeBufferPointer(rebasing: text[start..<min(index, end)]), as: UTF8.self)
            case UInt8(ascii: ":") where stack.last?.isObject == true:
                stack[stack.count - 1].key = lastString
            case UInt8(ascii: ",") where !stack.isEmpty:
                stack[stack.count - 1].key = nil
                stack[stack.count - 1].index += 1
            case UInt8(ascii: "{"): stack.append(Container(start: index, isObject: true))
            case UInt8(ascii: "["): stack.append(Container(start: index, isObject: false))
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if index + 1 == end, stack.count == 3 {
                    // What is wrong with an upload as a whole is found at its end.
                    stack[2].key = nil
                } else if stack.count > 1 {
                    stack.removeLast()
                }
            default: break
            }
            index += 1
        }
        return names(of: stack, in: text)
    }

    private static func names(of stack: [Container], in text: UnsafeBufferPointer<UInt8>) -> [String] {
        guard stack.count > 2, stack[0].key == "uploads", !stack[1].isObject else {
            let path = stack.compactMap(\.key).joined(separator: ".")
            return path.isEmpty ? [] : [path]
        }
        var cursor = JSONCursor(text, at: stack[2].start)
        let id = try? cursor.uploadID()
        let name = id.map { "upload \($0)" } ?? "number \(stack[1].index + 1) of the uploads"
        let path = stack[2...].compactMap(\.key).joined(separator: ".")
        return path.isEmpty ? [name] : [name, path]
    }
}
