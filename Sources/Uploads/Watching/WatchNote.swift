import FerryProtocols
import FerryTransfer

/// A note on which version of a file in a watched folder Ferry has processed, and how far.
package struct WatchNote: Hashable, Sendable {
    package enum Disposition: Hashable, Sendable {
        /// The file is about to be added to the queue, which contains the upload already after some crashes.
        case adding
        case queued(Upload.ID)
        /// The watcher has finished with this version: it was uploaded, a user removed its upload, or a user had added
        /// the file first.
        case over
        case gone
    }

    package var path: LocalPath
    /// The target of the file's upload: a destination's name, or a URL without its query.
    package var to: String
    package var identity: FileIdentity
    package var disposition: Disposition
}

extension WatchNote {
    /// The note as one line of JSON, with a line break.
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

    /// Creates a note from a line without its line break, unless it is damaged or of an unknown state.
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
