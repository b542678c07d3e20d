package import FerryUploads

/// The user's choice of files: text that was typed or pasted, and paths that were marked in folders.
package struct AddRequest: Hashable, Sendable {
    /// The text: paths, patterns, quoted words, `file://` URLs.
    package var text: String
    /// The marked paths; not every name can be typed.
    package var marked: [LocalPath]

    package init(text: String = "", marked: [LocalPath] = []) {
        self.text = text
        self.marked = marked
    }
}

/// A folder that the user wants to see in the Add dialog.
package enum FolderReference: Hashable, Sendable {
    /// The folder at the beginning of a typed line, without the name or pattern after it.
    case line(String)
    /// A folder that the user opened from the list of another folder.
    case folder(LocalPath)
}

/// A folder whose entries were read.
package struct BrowsedFolder: Hashable, Sendable {
    /// The absolute path, without a slash at the end.
    package var path: LocalPath
    /// The path as a user types it, with a slash at the end; nil if its name cannot be typed.
    package var text: String?
    package var contents: FolderContents

    package init(path: LocalPath, text: String?, contents: FolderContents) {
        self.path = path
        self.text = text
        self.contents = contents
    }
}
