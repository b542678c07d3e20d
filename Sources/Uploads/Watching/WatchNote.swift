import FerryProtocols
import FerryTransfer

/// A note about a file in a watched folder. The note states which version of the file Ferry has processed, and how far.
/// Because of the note, the watcher does not send the same version twice.
package struct WatchNote: Hashable, Sendable {
    package enum Disposition: Hashable, Sendable {
        /// The file is about to be added to the queue. If the process crashes in this state, the queue possibly
        /// contains the upload already.
        case adding
        case queued(Upload.ID)
        /// The watcher has finished with this version of the file. The version was uploaded, a user removed its upload,
        /// or a user had added the file to the queue first.
        case over
        /// The file is gone. A note with this state only removes the earlier note about the file.
        case gone
    }

    package var path: LocalPath
    /// The target of the file's upload: a destination's name, or a URL without its query.
    package var to: String
    package var identity: FileIdentity
    package var disposition: Disposition
}

extension WatchNote {
    /// The note as one line of JSON, with a line break. If the file is gone, the line contains only the path and the
    /// state.
    var line: [UInt8] {
        var writer = JSONWriter()
        writer.raw("{\"path\":")
        writer.path(path)
        if disposition != .gone {
            writer.member(",\"to\":", to)
            writer.member(",\"device\":", identity.device)
            writer.member(",\"inode\":", identity.inode)
            writer.member(",\"size\":", identity.size)
            writer.raw(",\"modified\":")
            writer.quotedInteger(identity.modified)
            writer.raw(",\"changed\":")
            writer.quotedInteger(identity.changed)
        }
        switch disposition {
        case .adding: writer.raw(",\"state\":\"adding\"")
        case .queued(let id):
            writer.member(",\"state\":\"queued\",\"id\":", id)
        case .over: writer.raw(",\"state\":\"over\"")
        case .gone: writer.raw(",\"state\":\"gone\"")
        }
        writer.raw("}\n")
        return writer.bytes
    }

    /// Creates a note from a line without its line break. Nil if the line is damaged or incomplete, or if a newer
    /// version of Ferry wrote a state that this version does not know.
    init?(line: UnsafeBufferPointer<UInt8>) {
        var scanner = JSONScanner(line)
        guard let note = try? scanner.watchNote() else { return nil }
        self = note
    }
}

extension JSONScanner {
    fileprivate mutating func watchNote() throws(MalformedJSON) -> WatchNote {
        var path: LocalPath?
        var to = ""
        var identity = FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0)
        var state: String?
        var id: Upload.ID?
        try expect("{")
        while let key = try key() {
            switch key {
            case "path": path = try self.path()
            case "to":
                to = try string()
                // The signature in the query may have changed by now, while the target is the same.
                if to.contains("://") { to = UploadAddress.withoutQuery(to) }
            case "device": identity.device = try integer()
            case "inode": identity.inode = try integer()
            case "size": identity.size = try integer()
            case "modified": identity.modified = try integer()
            case "changed": identity.changed = try integer()
            case "state": state = try string()
            case "id": id = try integer()
            default: try skipValue()
            }
        }
        guard isAtEnd else { throw malformed("text after the line") }
        let disposition: WatchNote.Disposition
        switch (try require(state, "state"), id) {
        case ("adding", _): disposition = .adding
        case ("queued", let id?): disposition = .queued(id)
        case ("over", _): disposition = .over
        case ("gone", _): disposition = .gone
        default: throw newer("a state of a watched file that this version does not know")
        }
        return WatchNote(
            path: try require(path, "path"), to: to, identity: identity, disposition: disposition)
    }
}
