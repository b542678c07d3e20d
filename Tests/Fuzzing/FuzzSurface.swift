/// A part of Ferry that reads untrusted bytes, and the function that passes a fuzzer's input to it.
///
/// The function traps if the code under test traps or returns something that breaks a promise.
struct FuzzSurface: Sendable {
    /// The name for the command line and for the folder of its corpus.
    let name: String
    /// Runs one input.
    let run: @Sendable (FuzzBytes) -> Void

    init(_ name: String, _ run: @escaping @Sendable (FuzzBytes) -> Void) {
        self.name = name
        self.run = run
    }
}

/// Reads an input from its front as numbers, choices and texts. After the end of the input every value is zero or
/// empty.
struct FuzzBytes: Sendable {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The remaining bytes.
    var all: [UInt8] { Array(rest) }
    /// The remaining bytes as text.
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

    /// Reads the bytes up to the next NUL, at most `limit`.
    mutating func bytes(upTo limit: Int) -> [UInt8] {
        let taken = Array(rest.prefix(limit).prefix { $0 != 0 })
        rest = rest.dropFirst(taken.count)
        if rest.first == 0 { rest.removeFirst() }
        return taken
    }

    /// Divides the remaining bytes into chunks. The first four bytes decide the sizes.
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

/// Ends the process with a message if a promise is broken. Unlike `precondition`, this prints the message in an
/// optimized build.
func promise(_ isKept: Bool, _ message: @autoclosure () -> String = "a promise is broken") {
    if !isKept { fatalError(message()) }
}
