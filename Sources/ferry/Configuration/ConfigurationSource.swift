import FerryFiles
import FerryProtocols

/// The place where a command finds its configuration, so that it can be read again.
struct ConfigurationSource: Sendable {
    /// Absolute; nil for the usual place.
    private let path: String?
    /// Applies the command's own options.
    private let change: @Sendable (inout Configuration) -> Void

    /// - Parameter path: As --config has it; nil for the usual place.
    init(_ path: String?, _ change: @escaping @Sendable (inout Configuration) -> Void = { _ in }) {
        self.path = path.map { URL(fileURLWithPath: LocalFiles.expanded($0)).path }
        self.change = change
    }

    /// Its path.
    var file: String { path ?? LocalFiles.configuration }

    /// The configuration of a command without a file.
    var unwritten: Configuration {
        var configuration = Configuration()
        change(&configuration)
        return configuration
    }

    /// - Parameter mayBeMissing: Whether no file in the usual place means that nothing is configured. One that was there
    ///   and is gone may be about to come back, as some editors write.
    /// - Throws: `UploadFailure` (`permanent`) that names the file, the key and what is expected there.
    func load(mayBeMissing: Bool) throws(UploadFailure) -> Configuration {
        var configuration = try ConfigurationFile.load(mayBeMissing ? path : file)
        change(&configuration)
        return configuration
    }
}
