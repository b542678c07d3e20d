import FerryTransfer

extension Upload {
    /// True if the file has another name at the server, apart from its folders.
    package var isRenamed: Bool { !path.text.hasSuffix("/" + target.name) }
}

extension Upload.Target {
    /// The destination's name, or the URL if there is none.
    package var destinationText: String { destination.isEmpty ? url : destination }
}
