import FerryFiles

/// A list of paths on standard input. If NUL bytes separate them, a path can contain line breaks.
struct PathInput {
    enum Separator: UInt8 {
        case line = 0x0A
        case null = 0
    }

    /// The maximum number of bytes to read. Real lists are shorter, but a user can pipe a film by mistake.
    static let limit = 1 << 30

    let separator: Separator

    /// Reads standard input to its end and returns the paths.
    ///
    /// - Parameter next: Reads at most the given number of bytes; none at the end of the input.
    func read(
        upTo limit: Int = limit,
        from next: (Int) throws(SystemCallError) -> [UInt8] = { (count) throws(SystemCallError) in
            try StandardStream.input.read(upTo: count)
        }
    ) throws(CommandFailure) -> [LocalPath] {
        var bytes: [UInt8] = []
        do throws(SystemCallError) {
            while case let chunk = try next(1 << 20), !chunk.isEmpty, bytes.count <= limit {
                bytes += chunk
            }
        } catch {
            throw CommandFailure(usage: "standard input cannot be read: \(error.reason)")
        }
        guard bytes.count <= limit else { throw Self.notPaths("is longer than 1 GiB") }
        return try paths(in: bytes)
    }

    func paths(in bytes: [UInt8]) throws(CommandFailure) -> [LocalPath] {
        let names = bytes.split(separator: separator.rawValue)
        guard separator == .null || !names.contains(where: { $0.contains(0) }) else {
            throw Self.notPaths("has NUL bytes in its lines", hint: "after `find -print0` use `ferry add -0`")
        }
        return names.map { LocalPath(bytes: Array($0)) }
    }

    private static func notPaths(_ why: String, hint: String? = nil) -> CommandFailure {
        CommandFailure(usage: "standard input \(why): it is not a list of paths", hint: hint)
    }
}
