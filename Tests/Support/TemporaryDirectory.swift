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

    private func remove() {
        // A test may have taken away the permission to look inside.
        try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        try? FileManager.default.removeItem(atPath: path)
    }
}
