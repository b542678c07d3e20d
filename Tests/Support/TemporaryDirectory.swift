public import Foundation

/// A temporary folder. It is removed with its content when the last reference to it ends.
public final class TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at the end.
    public let path: String

    public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    public init() throws {
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        path = parent.appending(path: "ferry-test-\(UUID().uuidString)").path(percentEncoded: false)
        // State folders must be private, so this one is too.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        remove()
    }

    /// Makes a temporary folder, passes it to `body`, and removes it afterwards.
    public static func with<Result>(_ body: (TemporaryDirectory) async throws -> Result) async throws
        -> Result
    {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        return try await body(directory)
    }

    /// Returns the path of a file in this folder. The file need not exist.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file, makes the folders on its path, and returns its path.
    @discardableResult
    public func write(_ contents: some Sequence<UInt8>, to name: String) throws -> String {
        let file = path(name)
        let folder = (file as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(contents).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Writes an executable program that every user may run, and returns its path.
    ///
    /// Another process writes the file. If this process wrote it, a child forked meanwhile by another test could hold
    /// the file open for writing, and starting the program would fail with ETXTBSY.
    public func program(_ text: String, at name: String) throws -> String {
        let draft = try write(Array(text.utf8), to: "\(name).draft")
        let copy = Process()
        copy.executableURL = URL(fileURLWithPath: "/bin/sh")
        copy.arguments = [
            "-c", "cp \"$1\" \"$2\" && chmod 755 \"$2\" && rm \"$1\"", "copy", draft, path(name),
        ]
        try copy.run()
        copy.waitUntilExit()
        guard copy.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
        return path(name)
    }

    private func remove() {
        // A test may have removed the permission to read the folder.
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        try? FileManager.default.removeItem(atPath: path)
    }
}
