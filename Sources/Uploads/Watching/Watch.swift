import FerryProtocols

/// A watched folder and the destination of its files.
public struct Watch: Sendable {
    /// The watched folder, with the treatment of its uploaded files.
    public let folder: WatchedFolder
    /// The destination at the start of the watch.
    public let destination: Destination

    public init(folder: WatchedFolder, destination: Destination) {
        self.folder = folder
        self.destination = destination
    }

    /// The destination's name, or its URL without the query. The query may be a signature, and this text is displayed,
    /// logged and stored.
    package var to: String {
        destination.name.isEmpty ? UploadAddress.withoutQuery(destination.url) : destination.name
    }
}
