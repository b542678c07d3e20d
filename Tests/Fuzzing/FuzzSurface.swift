/// One part of Ferry that reads bytes that others wrote, and the way in which a fuzzer's bytes get there.
///
/// A surface traps where the code under test traps, and where a promise about its result is broken.
struct FuzzSurface: Sendable {
    /// The name on the command line, and of the folder with its corpus.
    let name: String
    /// Runs one input.
    let run: @Sendable (FuzzBytes) -> Void

    init(_ name: String, _ run: @escaping @Sendable (FuzzBytes) -> Void) {
        self.name = name
        self.run = run
    }
}

/// The bytes of one input, taken from the front as numbers, choices and texts. Without bytes left, everything is zero.
struct FuzzBytes: Sendable {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// All bytes that are left.
    var all: [UInt8] { Array(rest) }
    /// All bytes that are left, as text.
    var text: String { String(decoding: rest, as: UTF8.self) }
    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func isTrue() -> Bool { byte() & 1 == 1 }

    mutating func number(below limit: Int) -> Int {
        guard limit > 256 else { return Int(byte()) % max(1, limit) }
        return (Int(byte()) << 16 | Int(byte()) << 8 | Int(byte())) % limit
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[number(below: elements.count)]
    }

    /// Takes bytes up to the next NUL, at most `limit`.
    mutating func bytes(upTo limit: Int) -> [UInt8] {
        let taken = Array(rest.prefix(limit).prefix { $0 != 0 })
        rest = rest.dropFirst(taken.count)
        if rest.first == 0 { rest.removeFirst() }
        return taken
    }

    /// Cuts all that is left into chunks at offsets that the first bytes name.
    mutating func chunks() -> [[UInt8]] {
        let sizes = (0..<4).map { _ in Int(byte()) + 1 }
        var chunks: [[UInt8]] = []
        var index = 0
        while !rest.isEmpty {
            chunks.append(Array(rest.prefix(sizes[index % sizes.count])))
            rest = rest.dropFirst(sizes[index % sizes.count])
            index += 1
        }
        return chunks
    }
}

/// Ends the process with a message if a promise about a result is broken. Unlike `precondition`, an optimized build
/// prints it.
func promise(_ isKept: Bool, _ message: @autoclosure () -> String = "a promise is broken") {
    if !isKept { fatalError(message()) }
}
