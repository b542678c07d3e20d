import FerryTransfer

extension Upload {
    /// True if the file has another name on the server, which can contain folders of the local path.
    package var isRenamed: Bool { !path.text.hasSuffix("/" + target.name) }
}

extension Upload.Target {
    /// The destination's name, or the URL if the target names no destination.
    package var destinationText: String { destination.isEmpty ? url : destination }
}
