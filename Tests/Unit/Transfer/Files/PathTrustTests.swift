import FerryFiles
import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

struct PathTrustTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Writes an empty file with the mode 600, and sets the mode of its folder. Modes are set explicitly, because the
    /// umask can be any.
    private func file(_ name: String, folder: String, mode: Int) throws {
        try directory.write([], to: "\(folder)/\(name)")
        try setMode(0o600, "\(folder)/\(name)")
        try setMode(mode, folder)
    }

    private func setMode(_ mode: Int, _ name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.path(name))
    }

    private func issue(_ path: String, for user: UInt32 = Machine.user) -> PathIssue.Cause? {
        do throws(PathIssue) {
            try PathTrust.check(LocalPath(path), for: user)
            return nil
        } catch {
            return error.cause
        }
    }

    /// Returns the last component of the folder in which other users can create the file; nil if they cannot.
    private func openFolder(_ name: String) -> String? {
        guard case .creatable(let folder) = issue(directory.path(name)) else { return nil }
        return folder.name
    }

    @Test func `a missing file passes where only its user can create it`() throws {
        try file("file", folder: "own", mode: 0o700)
        for name in ["own/file", "own/missing", "own/missing/below", "missing/../file"] {
            #expect(issue(directory.path(name)) == nil, "\(name)")
        }
    }

    @Test func `a missing file in a sticky folder of all is refused, and an existing one passes`() throws {
        try file("file", folder: "open", mode: 0o1777)
        #expect(issue(directory.path("open/file")) == nil)
        #expect(openFolder("open/missing") == "open")
        #expect(openFolder("open/missing/below") == "open")
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: "open/missing")
        #expect(openFolder("link") == "open")
    }

    @Test func `a missing file below a folder that others can change is refused for the folder`() throws {
        try file("file", folder: "open", mode: 0o2775)
        #expect(issue(directory.path("open/missing")) == .writable)
    }

    @Test(arguments: [0o700: true, 0o755: true, 0o777: false, 0o1777: false])
    func `a folder is closed only if others cannot create files in it`(mode: Int, isClosed: Bool) throws {
        try file("file", folder: "folder", mode: mode)
        try FileManager.default.createSymbolicLink(
            atPath: directory.path("link"), withDestinationPath: "folder")
        for name in ["folder", "link"] {
            #expect(PathTrust.isClosed(LocalPath(directory.path(name))) == isClosed, "\(name)")
        }
        for name in ["missing", "folder/file"] {
            #expect(!PathTrust.isClosed(LocalPath(directory.path(name))), "\(name)")
        }
    }

    @Test func `40 links on a path are followed, and one more is refused`() throws {
        try file("0", folder: "own", mode: 0o700)
        for number in 1...41 {
            try FileManager.default.createSymbolicLink(
                atPath: directory.path("own/\(number)"), withDestinationPath: "\(number - 1)")
        }
        #expect(issue(directory.path("own/40")) == nil)
        guard case .links? = issue(directory.path("own/41")) else {
            Issue.record("41 links were followed")
            return
        }
    }

    @Test func `the check of a missing file returns its error`() throws {
        let missing = try PathTrust.check(LocalPath(directory.path("missing")))
        #expect(missing == .noSuchFileOrDirectory)
        #expect(try PathTrust.check(LocalPath(directory.path), isFolder: true) == nil)
    }

    @Test(.enabled(if: Machine.user == 0, "needs a folder of root"))
    func `the group of a folder of root may write, but not where root runs`() throws {
        try file("file", folder: "shared", mode: 0o2775)
        try setMode(0o755, "")
        #expect(issue(directory.path("shared/file"), for: 1000) == nil)
        #expect(issue(directory.path("shared/missing"), for: 1000) == nil)
        #expect(issue(directory.path("shared/file")) == .writable)
        try setMode(0o664, "shared/file")
        #expect(issue(directory.path("shared/file"), for: 1000) == .writable)
    }

    @Test(.enabled(if: Machine.user == 0, "needs a folder of another user"))
    func `a user's own group may write to a folder and to the file, and another group may not`() throws {
        try file("file", folder: "shared", mode: 0o775)
        try setMode(0o755, "")
        for name in ["shared", "shared/file"] {
            try FileManager.default.setAttributes(
                [.ownerAccountID: 1000, .groupOwnerAccountID: 1000], ofItemAtPath: directory.path(name))
        }
        for mode in [0o600, 0o664, 0o775] {
            try setMode(mode, "shared/file")
            #expect(issue(directory.path("shared/file"), for: 1000) == nil)
        }
        try setMode(0o666, "shared/file")
        #expect(issue(directory.path("shared/file"), for: 1000) == .writable)
        for name in ["shared/file", "shared"] {
            try setMode(name == "shared" ? 0o775 : 0o664, name)
            try FileManager.default.setAttributes(
                [.groupOwnerAccountID: 100], ofItemAtPath: directory.path(name))
            #expect(issue(directory.path("shared/file"), for: 1000) == .writable)
            try setMode(name == "shared" ? 0o755 : 0o644, name)
            #expect(issue(directory.path("shared/file"), for: 1000) == nil)
        }
    }

    @Test(arguments: [
        ("0 0 4294967295\n", nil), ("0 1000 1\n", 65_534), ("0 1000 1\n1 100000 65536\n", nil),
        ("0 1000 1\n65534 100000 1\n", nil), ("0 1000 65534\n65535 100000 1\n", 65_534),
        ("0 1000\n", nil),
    ])
    func `the overflow user is trusted only if a user namespace has no user of that number`(
        map: String, owner: UInt32?
    ) {
        #expect(PathTrust.unmappedOwner(map: map, overflow: "65534\n") == owner)
        #expect(PathTrust.unmappedOwner(map: map, overflow: "") == nil)
    }

    #if os(Linux)
        /// Makes a file with the mode 775 and an access control list that lets user 1001 write.
        ///
        /// - Returns: False if the file system has no access control lists.
        private func addAccessList(_ name: String) throws -> Bool {
            typealias Function =
                @convention(c) (
                    UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer, Int, CInt
                ) -> CInt
            let set = unsafeBitCast(try #require(dlsym(nil, "setxattr")), to: Function.self)
            // The format of linux/posix_acl_xattr.h: the version, then tag, permissions and id of each entry.
            var list: [UInt8] = [2, 0, 0, 0]
            for (tag, bits, id) in [
                (1, 7, UInt32.max), (2, 7, 1001), (4, 5, .max), (16, 7, .max), (32, 5, .max),
            ]
                as [(UInt8, UInt8, UInt32)]
            {
                list += [tag, 0, bits, 0]
                list += (0..<4).map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
            }
            let result = set(directory.path(name), "system.posix_acl_access", list, list.count, 0)
            if result != 0 { #expect(errno == ENOTSUP) }
            return result == 0
        }

        @Test(.enabled(if: Machine.user == 0, "needs a folder of another user"))
        func `a user's own group may not write where an access control list names another user`() throws {
            try file("file", folder: "shared", mode: 0o775)
            try setMode(0o755, "")
            for name in ["shared", "shared/file"] {
                try FileManager.default.setAttributes(
                    [.ownerAccountID: 1000, .groupOwnerAccountID: 1000], ofItemAtPath: directory.path(name))
            }
            #expect(issue(directory.path("shared/file"), for: 1000) == nil)
            for name in ["shared/file", "shared"] {
                guard try addAccessList(name) else { return }
                #expect(issue(directory.path("shared/file"), for: 1000) == .writable)
                try setMode(0o755, name)
                #expect(issue(directory.path("shared/file"), for: 1000) == nil)
            }
        }

        @Test(.enabled(if: Machine.user == 0, "needs a folder of root"))
        func `the group of a folder of root may not write where an access control list names another user`()
            throws
        {
            try file("file", folder: "shared", mode: 0o775)
            try setMode(0o755, "")
            try FileManager.default.setAttributes(
                [.ownerAccountID: 1000], ofItemAtPath: directory.path("shared/file"))
            #expect(issue(directory.path("shared/file"), for: 1000) == nil)
            guard try addAccessList("shared") else { return }
            #expect(issue(directory.path("shared/file"), for: 1000) == .writable)
        }

        @Test func `an open descriptor passes though its link names no path`() throws {
            try file("file", folder: "open", mode: 0o1777)
            let pipe = Pipe()
            let file = try FileHandle(forReadingFrom: directory.url.appending(path: "open/file"))
            try FileManager.default.removeItem(atPath: directory.path("open/file"))
            for handle in [pipe.fileHandleForReading, file] {
                #expect(issue("/dev/fd/\(handle.fileDescriptor)") == nil)
            }
        }
    #endif
}
