import FerryProtocols

/// A watched folder and the destination of its files.
public struct Watch: Sendable {
    /// The folder, with what becomes of its files.
    public let folder: WatchedFolder
    /// The destination as it was when the watching began.
    public let destination: Destination

    public init(folder: WatchedFolder, destination: Destination) {
        self.folder = folder
        self.destination = destination
    }

    /// The destination's name, or its address without the query, which may be a signature: this is shown, logged and noted.
    package var to: String {
        destination.name.isEmpty ? UploadAddress.withoutQuery(destination.url) : destination.name
    }
}
