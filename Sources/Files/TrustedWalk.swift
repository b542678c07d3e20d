/// A walk along a path to a folder, through symbolic links of trusted users only: another user who can write to a
/// folder on the path could redirect it. On Linux, it needs only search permission.
package struct TrustedWalk {
    private static let linkLimit = 40

    package private(set) var directory: Directory
    /// The path of `directory`, for messages.
    private var walked: LocalPath
    private let owners: Set<UInt32>
    private var links = 0

    /// Walks to the existing folder at `path`.
    /// - Throws: `SystemCallError`, whose `danger` is `owner` for a symbolic link of a user who is not in `owners`.
    package init(_ path: LocalPath, trusting owners: Set<UInt32>) throws(SystemCallError) {
        let start = Self.start(of: path)
        directory = try Directory(searching: start)
        walked = start
        self.owners = owners
        try enter(path)
    }

    private static func start(of path: LocalPath) -> LocalPath {
        LocalPath(path.bytes.first == 0x2F ? "/" : ".")
    }

    private static func components(of path: LocalPath) -> [[UInt8]] {
        path.bytes.split(separator: 0x2F).map { Array($0) }
    }

    /// Continues the walk from `directory` along a relative path.
    package mutating func enter(_ path: LocalPath) throws(SystemCallError) {
        var left = Self.components(of: path)[...]
        while let component = left.popFirst() {
            let name = LocalPath(bytes: component)
            do throws(SystemCallError) {
                directory = try directory.searching(name)
                walked = walked.appending(component)
            } catch {
                guard let target = try linkTarget(name) else { throw error }
                links += 1
                guard links <= Self.linkLimit else {
                    throw SystemCallError(call: "openat", name: name.text, code: .tooManySymbolicLinkLevels)
                }
                if target.bytes.first == 0x2F {
                    walked = Self.start(of: target)
                    directory = try Directory(searching: walked)
                }
                left = Self.components(of: target)[...] + left
            }
        }
    }

    /// Returns the target of the symbolic link `name`; nil if it is none. Throws if the link changes during the call.
    private func linkTarget(_ name: LocalPath) throws(SystemCallError) -> LocalPath? {
        let status = try directory.status(of: name)
        guard status.kind == .link else { return nil }
        let target = try directory.linkTarget(of: name)
        // Another user may replace the link by one of their own between the two calls.
        guard owners.contains(status.owner), try directory.status(of: name) == status else {
            throw SystemCallError(
                call: "openat", name: walked.appending(name.bytes).text, code: .notPermitted,
                danger: .owner(status.owner), mode: status.mode)
        }
        return target
    }
}
