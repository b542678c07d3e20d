package import SystemPackage

/// Checks that no other user can replace a file. The checks concern the owner and the mode of the file, and of each
/// folder on its path. For a symbolic link, the owner of the link and the path of its target are checked too.
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
/// The path can also lead to a device, a socket or a folder. A device or a socket must belong to the user or to root.
/// If others can write to the folder at the end of the path, the folder must belong to root and have the sticky bit.
package enum PathTrust {
    /// The maximum number of symbolic links to follow for one path, as in Linux (path_resolution(7)).
    private static let linkLimit = 40
    private static let slash = UInt8(ascii: "/")

    /// Checks a file and each folder on its path. For a symbolic link, also checks the owner of the link and the path
    /// of its target. A file that passes can be opened by its path afterwards, because no other user can change any
    /// part of the path.
    ///
    /// A missing file passes if only this user or root can create it.
    ///
    /// - Parameters:
    ///   - isFolder: True if the path leads to a folder. The rules for folders above a file then apply to this folder.
    ///   - user: The user that Ferry runs as.
    /// - Returns: nil if the file exists; otherwise the error for the first part of the path that cannot be examined.
    /// - Throws: `PathIssue` if another user can replace, change or create the file. Also throws if the path has more
    ///   than 40 symbolic links.
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
            // In a folder where other users can create files, a file of the unmapped owner can belong to any of them.
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

    /// Returns true if a folder exists, no other user can replace it, and no other user can create files in it. Returns
    /// false for a folder with the sticky bit if other users can create files in it.
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
        // The mode of a link has no meaning; the path of its target is checked separately. The mode of a device or a
        // socket says who may use it, but no user can leave content in it.
        let hasContent = status.kind != .link && (status.kind != .special || status.isPipe)
        let isContent = isFile && status.kind != .folder
        guard hasContent, othersMayWrite(status, of: path, isFile: isContent, for: user) else { return }
        // Ferry may read all files of a folder that is given instead of a file. Only a folder of root, such as /tmp, is
        // meant to be shared.
        let isShared = !isFile || status.kind == .folder && status.owner == 0
        guard isShared, status.mode & 0o1000 != 0 else {
            throw PathIssue(path: path, isFile: isFile, mode: status.mode, cause: .writable)
        }
    }

    /// Returns true if another user can create files in the folder, with or without the sticky bit. Also returns true
    /// if the folder cannot be examined.
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
        // The group of a folder of root may write in the folder, because root has chosen the members of the group.
        let isTrusted = status.group == user || !isFile && status.owner == 0
        return !isTrusted || path.hasAccessList
    }

    /// The user ID that the system shows for every owner who has no ID in this user namespace (user_namespaces(7)). In
    /// a container, for example, it is the owner of the files that belong to the machine's root. nil outside of a user
    /// namespace, if a user in the namespace has this ID, or if the system does not report the ID.
    private static let unmapped: UInt32? = {
        // The kernel accepts at most 340 ranges.
        guard let map = LocalPath("/proc/self/uid_map").content(upTo: 1 << 14),
            let number = LocalPath("/proc/sys/kernel/overflowuid").content(upTo: 32)
        else { return nil }
        return unmappedOwner(
            map: String(decoding: map, as: UTF8.self), overflow: String(decoding: number, as: UTF8.self))
    }()

    /// Returns the overflow user ID; nil if a user of this namespace has the same ID, or if an argument is malformed.
    ///
    /// - Parameters:
    ///   - map: The content of `/proc/self/uid_map`. Each line has three numbers: the first ID inside the namespace,
    ///     the first ID outside, and the number of IDs.
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

/// The reason why a file must not be used: another user can replace, change or create it, or its path has too many
/// symbolic links.
package struct PathIssue: Error, Hashable, Sendable {
    package enum Cause: Hashable, Sendable {
        /// The file, or a folder or link on its path, belongs to another user. The value is the ID of that user.
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
    /// True if `path` is the file itself; false if it is a folder or link above the file. The value decides the words
    /// of `summary(of:)`.
    let isFile: Bool
    package let mode: UInt32
    package let cause: Cause

    /// Returns a sentence for users that states why the file must not be used.
    ///
    /// - Parameter role: The role of the file. It begins the sentence, such as `the configuration`.
    package func summary(of role: String) -> String {
        let thing = isFile ? "\(role) \(path.text)" : "the folder \(path.text) above \(role)"
        return switch cause {
        case .owner(let user): "\(thing) belongs to another user (\(Machine.name(of: user)))"
        case .writable: "\(thing) can be changed by others (mode \(String(mode, radix: 8)))"
        case .creatable(let folder): "\(thing) does not exist, and others can create it in \(folder.text)"
        case .links: "\(thing) is behind too many symbolic links"
        }
    }

    /// Advice for the user. If the owner or the mode is wrong, the advice contains the command that repairs it.
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
