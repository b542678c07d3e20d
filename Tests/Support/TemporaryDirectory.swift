public import Foundation

/// A folder of its own, removed with everything in it when the last reference goes.
public final class TemporaryDirectory: Sendable {
    /// Absolute, without a slash at the end.
    public let path: String

    public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    public init() throws {
        let parent = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        path = parent.appending(path: "ferry-test-\(UUID().uuidString)").path(percentEncoded: false)
        // As private as a state folder must be.
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        remove()
    }

    /// Makes a folder, hands it to `body`, and removes it whatever happens.
    public static func with<Result>(_ body: (TemporaryDirectory) async throws -> Result) async throws
        -> Result
    {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        return try await body(directory)
    }

    /// The path of something in this folder, made or not.
    public func path(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file with its folders, and returns its path.
    @discardableResult
    public func write(_ contents: some Sequence<UInt8>, to name: String) throws -> String {
        let file = path(name)
        let folder = (file as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(contents).write(to: URL(fileURLWithPath: file))
        return file
    }

    /// Writes a program that everyone may run, and returns its path.
    ///
    /// Another process makes the file. A program that this process had open for writing cannot be started (ETXTBSY) as
    /// long as a child that was forked meanwhile, by any test, has not reached its own program.
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
        // A test may have taken away the permission to look inside.
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        try? FileManager.default.removeItem(atPath: path)
    }
}
