import FerryProtocols

/// A watched folder and the destination of its files.
public struct Watch: Sendable {
    /// The watched folder.
    public let folder: WatchedFolder
    /// The destination of the files, as configured when the watch started.
    public let destination: Destination

    public init(folder: WatchedFolder, destination: Destination) {
        self.folder = folder
        self.destination = destination
    }

    /// The name of the destination, or its URL without the query, which can contain a secret.
    package var to: String {
        destination.name.isEmpty ? UploadAddress.withoutQuery(destination.url) : destination.name
    }
}
