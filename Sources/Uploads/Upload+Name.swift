import FerryTransfer

extension Upload {
    /// True if the file has another name on the server, which can contain folders of the local path.
    package var isRenamed: Bool {
        // Each line of `ferry run` asks this. Making the text of the path takes most of the time.
        let name = target.name.utf8
        let isSame =
            path.bytes.suffix(name.count).elementsEqual(name)
            && path.bytes.dropLast(name.count).last == UInt8(ascii: "/")
        return !isSame && !path.text.hasSuffix("/" + target.name)
    }

    /// The key, without escapes in a URL, by which a server can recognize the upload. All attempts to send one version
    /// of the file have the same key, and no other upload has it. `tries.changes` distinguishes the versions.
    package var key: String {
        // In a record that a user has edited, the date may be infinite or not a number.
        let added = Int64(exactly: (self.added.timeIntervalSince1970 * 1000).rounded(.towardZero)) ?? 0
        return "ferry-\(id)-\(added)-\(identity.inode)" + (tries.changes > 0 ? "-\(tries.changes)" : "")
    }
}

extension Upload.Target {
    /// The destination's name, or the URL if the target names no destination.
    package var destinationText: String { destination.isEmpty ? url : destination }
}
