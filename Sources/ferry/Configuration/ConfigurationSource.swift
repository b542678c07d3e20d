import FerryFiles
import FerryProtocols

/// The path of a command's configuration, so that it can be read again.
struct ConfigurationSource: Sendable {
    /// The absolute path; nil for the default path.
    private let path: String?
    /// Applies the command's own options.
    private let change: @Sendable (inout Configuration) -> Void

    /// - Parameter path: The path of --config; nil for the default path.
    init(_ path: String?, _ change: @escaping @Sendable (inout Configuration) -> Void = { _ in }) {
        self.path = path.map { URL(fileURLWithPath: LocalFiles.expanded($0)).path }
        self.change = change
    }

    /// The path of the file.
    var file: String { path ?? LocalFiles.configuration }

    /// The configuration of a command without a file.
    var unwritten: Configuration {
        var configuration = Configuration()
        change(&configuration)
        return configuration
    }

    /// - Parameter mayBeMissing: Whether a missing file at the default path means an empty configuration. A file that
    ///   existed before may return in a moment, as some editors replace it.
    /// - Throws: `UploadFailure` (`permanent`) that names the file, the key and the expected value.
    func load(mayBeMissing: Bool) throws(UploadFailure) -> Configuration {
        var configuration = try ConfigurationFile.load(mayBeMissing ? path : file)
        change(&configuration)
        return configuration
    }
}
