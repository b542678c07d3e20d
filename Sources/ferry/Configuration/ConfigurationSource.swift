import FerryFiles
import FerryProtocols

/// The configuration file and the options of a command. A running engine needs both to read its configuration again.
struct ConfigurationSource: Sendable {
    /// The path that the user gave, as an absolute path; nil for the default path.
    private let path: String?
    private let change: @Sendable (inout Configuration) -> Void

    init(_ path: String?, _ change: @escaping @Sendable (inout Configuration) -> Void = { _ in }) {
        self.path = path.map { URL(fileURLWithPath: LocalFiles.expanded($0)).path }
        self.change = change
    }

    var file: String { path ?? LocalFiles.configuration }

    /// The default configuration, changed as the options of the command say.
    var unwritten: Configuration {
        var configuration = Configuration()
        change(&configuration)
        return configuration
    }

    /// Reads the configuration file, and changes the configuration as the options of the command say.
    ///
    /// - Parameter mayBeMissing: Whether a missing default file means the default configuration. Editors can remove a
    ///   file for a moment while they replace it.
    /// - Throws: `UploadFailure` (`permanent`) if the file cannot be read or is invalid.
    func load(mayBeMissing: Bool) throws(UploadFailure) -> Configuration {
        var configuration = try ConfigurationFile.load(mayBeMissing ? path : file)
        change(&configuration)
        return configuration
    }
}
