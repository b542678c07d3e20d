import FerryTransfer

extension Upload {
    /// True if the local path does not end with the name on the server.
    package var isRenamed: Bool { !path.text.hasSuffix("/" + target.name) }
}

extension Upload.Target {
    /// The destination's name, or the URL if the target names no destination.
    package var destinationText: String { destination.isEmpty ? url : destination }
}
