import FerryFiles
import FerryProtocols

/// Inserts members into the text of a JSON document. Every other byte stays unchanged.
struct JSONInsertion {
    private(set) var text: [UInt8]

    init(_ text: [UInt8]) { self.text = text }

    /// Returns true if there is an object at `path`: the names of the members that lead to it from the top.
    func hasObject(_ path: [String]) -> Bool { find(path) != nil }

    /// Adds a member at the end of an object. Returns false if there is no object at this path.
    /// - Parameter name: The name of the member, which must be new.
    @discardableResult mutating func add(_ name: String, _ value: String, to object: [String]) -> Bool {
        guard let found = find(object) else { return false }
        let outer = indentation(before: found.start)
        let inner = found.firstMember.map(indentation(before:)) ?? outer + "  "
        let lines = "\(JSONLine.quoted(name)): \(value)".split(separator: "\n")
        let member = lines.joined(separator: "\n" + inner)
        if let last = found.lastByte {
            // An object on one line stays on one line.
            let isOneLine = !text[found.start..<found.end].contains(0x0A)
            let addition =
                isOneLine
                ? ", " + lines.map { $0.drop { $0 == " " } }.joined(separator: " ") : ",\n\(inner)\(member)"
            text.insert(contentsOf: addition.utf8, at: last + 1)
        } else {
            text.replaceSubrange(
                found.start + 1..<found.end, with: Array("\n\(inner)\(member)\n\(outer)".utf8))
        }
        return true
    }

    /// The positions of an object's braces, of its first member, and of the last byte of its last member.
    private struct Object {
        var start: Int
        var end: Int
        var firstMember: Int?
        var lastByte: Int?
    }

    /// Finds the object at a path; nil if there is none, or if the JSON before the object's end is invalid.
    private func find(_ path: [String]) -> Object? {
        text.withUnsafeBufferPointer { bytes in
            var walk = JSONWalk(bytes)
            while let step = try? walk.next() {
                guard case .end(let ended, let lastValue) = step, ended.isObject,
                    walk.path == path.map(Optional.some)
                else { continue }
                return Object(
                    start: ended.start, end: walk.position - 1, firstMember: ended.firstKey?.start,
                    lastByte: ended.firstKey == nil ? nil : lastValue - 1)
            }
            return nil
        }
    }

    /// Returns the white space at the beginning of the line that contains this position.
    private func indentation(before position: Int) -> String {
        let line = text[..<position].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return String(decoding: text[line...].prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }
}
