/// A walk through a JSON text, value by value, without recursion. It refuses an object with two members of one name,
/// because a decoder uses one of the two and does not report which (RFC 8259 §4).
package struct JSONWalk {
    /// An object or array around the current value.
    package struct Container {
        /// The position of the opening brace or bracket.
        package let start: Int
        /// True for an object, false for an array.
        package let isObject: Bool
        /// The number of members or elements that the walk has reached.
        package fileprivate(set) var count = 0
        /// The name of the first member; nil in an array, or if the walk has not reached a member.
        package fileprivate(set) var firstKey: JSONScanner.Key?
        /// The name of the current member; nil in an array, and also before the first member and after the last one.
        package fileprivate(set) var key: JSONScanner.Key?
        fileprivate var isFirst = true
        fileprivate var names: Set<[UInt8]> = []
    }

    package enum Step {
        /// The beginning of an object or array, which is now the last of `containers`.
        case begin
        /// A string, a number, true, false or null.
        case scalar
        /// The end of a container. `lastValue` is the position after its last value, or after the opening sign.
        case end(Container, lastValue: Int)
    }

    /// The open objects and arrays, from the outside in.
    package private(set) var containers: [Container] = []
    private var scanner: JSONScanner
    private var hasBegun = false

    package init(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int = 0) {
        scanner = JSONScanner(bytes, at: position)
    }

    /// The position after the last step.
    package var position: Int { scanner.position }

    /// The path to the current value, with one entry for each open object or array, from the outside in. The entry is
    /// the decoded name of the current member. It is nil for an array, without a member, or if the name is not UTF-8.
    package var path: [String?] {
        containers.map { container in
            guard let key = container.key else { return nil }
            var text = JSONScanner(scanner.bytes, at: key.start)
            return try? text.string()
        }
    }

    /// Moves to the next scalar, beginning or end. Returns nil at the end of the text.
    package mutating func next() throws(MalformedJSON) -> Step? {
        if let top = containers.indices.last {
            let lastValue = scanner.position
            guard try goesOn(top) else { return .end(containers.removeLast(), lastValue: lastValue) }
        } else if hasBegun {
            scanner.skipWhitespace()
            guard scanner.isAtEnd else { throw scanner.malformed("something follows its end") }
            return nil
        }
        hasBegun = true
        for (sign, isObject) in [("{", true), ("[", false)] as [(Unicode.Scalar, Bool)]
        where scanner.take(sign) {
            containers.append(Container(start: scanner.position - 1, isObject: isObject))
            return .begin
        }
        try scanner.skipValue()
        return .scalar
    }

    /// Moves to the next value of `containers[top]`. Returns false at the end of that object or array.
    private mutating func goesOn(_ top: Int) throws(MalformedJSON) -> Bool {
        containers[top].key = nil
        if containers[top].isObject {
            guard let key = try scanner.key(isFirst: &containers[top].isFirst) else { return false }
            var name = JSONScanner(scanner.bytes, at: key.start)
            guard containers[top].names.insert(try name.stringBytes()).inserted else {
                throw MalformedJSON(position: key.start, reason: "the name \"\(key.text)\" is there twice")
            }
            containers[top].key = key
            if containers[top].count == 0 { containers[top].firstKey = key }
        } else {
            guard try scanner.element(isFirst: &containers[top].isFirst) else { return false }
        }
        containers[top].count += 1
        return true
    }

    /// Returns the first error in a text; nil if there is none. A byte order mark may precede the text.
    package static func error(in bytes: UnsafeBufferPointer<UInt8>) -> MalformedJSON? {
        var walk = JSONWalk(bytes, at: bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        do throws(MalformedJSON) { while try walk.next() != nil {} } catch { return error }
        return nil
    }
}
