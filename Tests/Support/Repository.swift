public import Foundation

/// The checkout that the tests were built from.
public enum Repository {
    /// The folder with `Package.swift`.
    public static let root: URL = {
        var folder = URL(filePath: #filePath)
        repeat {
            folder.deleteLastPathComponent()
        } while folder.path != "/"
            && !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path)
        return folder
    }()

    /// Returns the path of a file or folder in the checkout, such as `Tests/Servers`.
    public static func path(_ relative: String) -> String {
        root.appending(path: relative).path(percentEncoded: false)
    }
}
