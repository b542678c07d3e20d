import FerryTransfer

extension Upload {
    /// True if the file is called otherwise at the server than here, its folders set aside.
    package var isRenamed: Bool { !path.text.hasSuffix("/" + target.name) }
}

extension Upload.Target {
    /// The destination's name, or the address where there is none.
    package var destinationText: String { destination.isEmpty ? url : destination }
}
