package import SystemPackage

/// Checks that no other user can replace a file, by the owner and the mode of the file, of each folder on its path, and
/// of symbolic links and the paths of their targets.
///
/// Ssh checks its own files in a similar way (`StrictModes`). The file and every folder above it must belong to the
/// user or to root. Other users must have no permission to write to them, with two exceptions:
///
/// - A folder with the sticky bit above the file can be writable for all. No other user can replace an existing file in
///   it.
/// - If Ferry does not run as root, the group can have write permission on a folder of root. The same is true for a
///   file or folder whose group has the same number as the user. Such a group usually contains only the user
///   (useradd(8), `USERGROUPS_ENAB`). Where the group can write, there must be no access control list.
///
/// At the end of the path, a device or a socket must belong to the user or to root. A folder there that others can
/// write to must belong to root and have the sticky bit.
package enum PathTrust {
    /// The maximum number of symbolic links to follow for one path, as in Linux (path_resolution(7)).
    private static let linkLimit = 40
    private static let slash = UInt8(ascii: "/")

    /// Checks a file and its path. A file that passes can be opened by its path afterwards. A missing file passes if
    /// only this user or root can create it.
    ///
    /// - Parameter isFolder: True if the rules for folders above a file apply to the folder at the path.
    /// - Returns: nil if the file exists; otherwise the error for the first part of the path that cannot be examined.
    /// - Throws: `PathIssue` if another user can replace, change or create the file, or after 40 symbolic links.
    @discardableResult
    package static func check(
        _ path: LocalPath, isFolder: Bool = false, for user: UInt32 = Machine.user
    ) throws(PathIssue) -> Errno? {
        let whole = path.absolute
        let root = LocalPath(bytes: [slash])
        var left = whole.bytes.split(separator: slash)[...]
        var folder = root
        var links = 0
        var isDescriptor = false
        try check(FileStatus.of(root, follows: false), of: root, isFile: false, for: user)
        while let name = left.popFirst() {
            if name == [UInt8(ascii: ".")] { continue }
            if name == [UInt8(ascii: "."), UInt8(ascii: ".")] {
                folder = folder.parent ?? root
                continue
            }
            let next = folder.appending(Array(name))
            let status: FileStatus
            do throws(SystemCallError) { status = try FileStatus(next, follows: false) } catch {
                guard isDescriptor || !isOpen(folder, for: user) else {
                    throw PathIssue(path: whole, isFile: true, mode: 0, cause: .creatable(in: folder))
                }
                return error.code
            }
            let isFile = left.isEmpty && !isFolder
            // In a folder where others can create files, a file of the unmapped owner can belong to any of them.
            if status.owner == unmapped, isOpen(folder, for: user) {
                throw PathIssue(path: next, isFile: isFile, mode: status.mode, cause: .owner(status.owner))
            }
            try check(status, of: next, isFile: isFile, for: user)
            guard status.kind == .link, let target = next.linkTarget else {
                folder = next
                continue
            }
            links += 1
            guard links <= linkLimit else {
                throw PathIssue(path: whole, isFile: true, mode: status.mode, cause: .links)
            }
            // A link in /proc/…/fd leads to an open descriptor. For a pipe, its text is no path (proc(5)).
            isDescriptor = folder.text.hasPrefix("/proc/") && folder.name == "fd"
            if target.bytes.first == slash { folder = root }
            left = (target.bytes.split(separator: slash) + left)[...]
        }
        return nil
    }

    /// Returns true for a folder that no other user can replace or create files in, also not under a sticky bit.
    package static func isClosed(_ folder: LocalPath, for user: UInt32 = Machine.user) -> Bool {
        do throws(PathIssue) {
            guard try check(folder, isFolder: true, for: user) == nil else { return false }
        } catch {
            return false
        }
        guard let status = FileStatus.of(folder, follows: true) else { return false }
        return status.kind == .folder && !othersMayWrite(status, of: folder, isFile: false, for: user)
    }

    private static func check(
        _ status: FileStatus?, of path: LocalPath, isFile: Bool, for user: UInt32
    ) throws(PathIssue) {
        guard let status else { return }
        guard status.owner == user || status.owner == 0 || status.owner == unmapped else {
            throw PathIssue(path: path, isFile: isFile, mode: status.mode, cause: .owner(status.owner))
        }
        // The mode of a link has no meaning. That of a device or a socket says who may use it, but no user can leave
        // content in it.
        let hasContent = status.kind != .link && (status.kind != .special || status.isPipe)
        let isContent = isFile && status.kind != .folder
        guard hasContent, othersMayWrite(status, of: path, isFile: isContent, for: user) else { return }
        // Ferry may read all files of a folder. Only one of root, such as /tmp, is meant to be shared.
        let isShared = !isFile || status.kind == .folder && status.owner == 0
        guard isShared, status.mode & 0o1000 != 0 else {
            throw PathIssue(path: path, isFile: isFile, mode: status.mode, cause: .writable)
        }
    }

    /// Returns true if another user can create files in the folder, or if that is unknown.
    private static func isOpen(_ folder: LocalPath, for user: UInt32) -> Bool {
        guard let status = FileStatus.of(folder, follows: false) else { return true }
        return othersMayWrite(status, of: folder, isFile: false, for: user)
    }

    private static func othersMayWrite(
        _ status: FileStatus, of path: LocalPath, isFile: Bool, for user: UInt32
    ) -> Bool {
        guard status.mode & 0o002 == 0 else { return true }
        guard status.mode & 0o020 != 0 else { return false }
        guard user != 0 else { return true }
        // Root has chosen the members of the group that may write in its folder.
        let isTrusted = status.group == user || !isFile && status.owner == 0
        return !isTrusted || path.hasAccessList
    }

    /// The user ID that the system shows for owners without an ID in this user namespace (user_namespaces(7)), such as
    /// the machine's root in a container. Nil outside of one, if a user has this ID, or if it is unknown.
    private static let unmapped: UInt32? = {
        // The kernel accepts at most 340 ranges.
        guard let map = LocalPath("/proc/self/uid_map").content(upTo: 1 << 14),
            let number = LocalPath("/proc/sys/kernel/overflowuid").content(upTo: 32)
        else { return nil }
        return unmappedOwner(
            map: String(decoding: map, as: UTF8.self), overflow: String(decoding: number, as: UTF8.self))
    }()

    /// Returns the overflow user ID; nil if a user of this namespace has it, or if an argument is malformed.
    ///
    /// - Parameters:
    ///   - map: The content of `/proc/self/uid_map`: the first ID inside and outside, and the number of IDs in each
    ///     line.
    ///   - overflow: The content of `/proc/sys/kernel/overflowuid`.
    package static func unmappedOwner(map: String, overflow: String) -> UInt32? {
        guard let owner = UInt32(overflow.trimmedOfLines()) else { return nil }
        for line in map.split(separator: "\n") {
            let numbers = line.split(separator: " ").map { UInt64($0) }
            guard numbers.count == 3, let first = numbers[0], let count = numbers[2] else { return nil }
            if UInt64(owner) >= first, UInt64(owner) - first < count { return nil }
        }
        return owner
    }
}

/// The reason why a file must not be used.
package struct PathIssue: Error, Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        /// The file, or a folder or link on its path, belongs to this other user.
        case owner(UInt32)
        /// Other users can write to the file, or to a folder on its path.
        case writable
        /// The file is missing, and other users can create it in this folder.
        case creatable(in: LocalPath)
        /// The path has too many symbolic links.
        case links
    }

    /// The path of the file, folder or link that is at fault.
    package let path: LocalPath
    /// True if `path` is the file itself, for the words of `summary(of:)`.
    let isFile: Bool
    package let mode: UInt32
    package let cause: Cause

    /// Returns a sentence for users that begins with the role of the file, such as `the configuration`.
    package func summary(of role: String) -> String {
        let thing = isFile ? "\(role) \(path.text)" : "the folder \(path.text) above \(role)"
        return switch cause {
        case .owner(let user): "\(thing) belongs to another user (\(Machine.name(of: user)))"
        case .writable: "\(thing) can be changed by others (mode \(String(mode, radix: 8)))"
        case .creatable(let folder): "\(thing) does not exist, and others can create it in \(folder.text)"
        case .links: "\(thing) is behind too many symbolic links"
        }
    }

    /// The advice for the user, with the command that repairs a wrong owner or mode.
    package var hint: String {
        let word = ShellWord.quoted(path.text)
        return switch cause {
        case .owner: "`chown \(Machine.name(of: Machine.user)) \(word)`, or use one of your own"
        case .writable: "`chmod go-w \(word)`, then look whether it is as you left it"
        case .creatable: "create it, or name one in a folder where only you can write"
        case .links: "use a direct path"
        }
    }
}
