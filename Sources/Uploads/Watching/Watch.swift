import FerryProtocols

/// A watched folder and the destination of its files.
public struct Watch: Sendable {
    /// The watched folder. Its property `after` defines whether an uploaded file is kept, deleted or moved.
    public let folder: WatchedFolder
    /// The destination of the files, as configured when the watch started.
    public let destination: Destination

    public init(folder: WatchedFolder, destination: Destination) {
        self.folder = folder
        self.destination = destination
    }

    /// The name of the destination; if it has no name, its URL without the query. The query can contain a secret, and
    /// this text is displayed, logged and stored.
    package var to: String {
        destination.name.isEmpty ? UploadAddress.withoutQuery(destination.url) : destination.name
    }
}
