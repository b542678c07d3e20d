public import FerryTransfer
public import FerryUploads

/// What is to become files: what was typed or pasted, and what was marked in a folder.
public struct AddRequest: Hashable, Sendable {
    /// Paths, patterns, quoted words, `file://` addresses, as people and terminals write them.
    public var text: String
    /// As the system names them: not every name can be written in a line.
    public var marked: [LocalPath]

    public init(text: String = "", marked: [LocalPath] = []) {
        self.text = text
        self.marked = marked
    }
}

/// A folder that a person wants to look into.
public enum BrowsedPlace: Hashable, Sendable {
    /// The one at which this part of a line points: that before the name or the pattern that is being typed.
    case line(String)
    /// One that was chosen in another.
    case folder(LocalPath)
}

/// A folder that was looked into.
public struct BrowsedFolder: Hashable, Sendable {
    /// Absolute, without a slash at the end.
    public var path: LocalPath
    /// As it would be typed in a line, with a slash at the end; nil if its name cannot be typed.
    public var text: String?
    /// What is in it.
    public var contents: FolderContents

    public init(path: LocalPath, text: String?, contents: FolderContents) {
        self.path = path
        self.text = text
        self.contents = contents
    }
}
