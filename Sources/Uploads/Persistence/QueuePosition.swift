import FerryProtocols

/// A position in the text of `queue.json`, described for a user who edits it.
struct QueuePosition: CustomStringConvertible {
    let position: TextPosition
    /// The upload and the JSON member that contain the position, such as `upload 7` and `state.category`, if any.
    let names: [String]

    /// Finds the byte position `offset` in JSON text. If the text before is invalid, `names` is possibly incomplete.
    init(of offset: Int, in text: UnsafeBufferPointer<UInt8>) {
        position = TextPosition(of: offset, in: text)
        var walk = JSONWalk(text)
        var whole: [JSONWalk.Container] = []
        while walk.position < offset, let step = try? walk.next() {
            // An error that concerns an upload as a whole has the position of its end.
            if case .end(let upload, _) = step, walk.position == offset, walk.containers.count == 2 {
                whole = [upload]
            }
        }
        names = Self.names(of: walk.containers + whole, in: text)
    }

    var description: String { ([position.description] + names).joined(separator: ": ") }

    private static func names(
        of containers: [JSONWalk.Container], in text: UnsafeBufferPointer<UInt8>
    ) -> [String] {
        let keys = containers.map { $0.key?.text }
        guard containers.count > 2, keys[0] == "uploads", !containers[1].isObject else {
            let path = keys.compactMap(\.self).joined(separator: ".")
            return path.isEmpty ? [] : [path]
        }
        var scanner = JSONScanner(text, at: containers[2].start)
        let id = try? scanner.uploadID()
        let name = id.map { "upload \($0)" } ?? "number \(containers[1].count) of the uploads"
        let path = keys[2...].compactMap(\.self).joined(separator: ".")
        return path.isEmpty ? [name] : [name, path]
    }
}
