import FerryTransfer
import Foundation

@testable import FerryUploads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A temporary folder with the path of a state folder. It is removed when it is released.
final class TemporaryState: Sendable {
    /// The folder that will contain the state folder.
    let parent: String
    /// The path of the state folder, which does not exist yet.
    let path: String

    init() throws {
        parent = FileManager.default.temporaryDirectory.path + "/ferry-state-\(UUID().uuidString)"
        path = parent + "/state"
        try FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: parent) }

    func open() throws(JournalError) -> StateDirectory { try StateDirectory(at: LocalPath(path)) }

    func mode(of name: String = "") throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
        return (attributes[.posixPermissions] as? Int) ?? -1
    }

    func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    func put(_ text: String, as name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path + "/" + name))
        try setMode(0o600, of: path + "/" + name)
    }
}
