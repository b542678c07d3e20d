import UploadProtocols

/// What `ferry config --json` prints.
struct ConfigurationLine: OutputLine {
    struct Destination: Encodable {
        var name: String
        var url: String
        var `protocol`: String
        var isDefault: Bool
    }

    var event = "configuration"
    var file: String?
    var folder: String
    var destinations: [Destination]
    var warnings: [String]

    init(_ configuration: Configuration, file: String?, folder: String) {
        self.file = file
        self.folder = folder
        destinations = configuration.destinations.sorted { $0.key < $1.key }.map { name, settings in
            Destination(
                name: name, url: UploadAddress.withoutQuery(settings.url), protocol: settings.protocolName,
                isDefault: name == configuration.defaultDestination)
        }
        warnings = configuration.warnings
    }

    static let schema = LineSchema(
        [.init("configuration", "Where the files are, and what is configured.")],
        always: [
            .init("folder", .text(), "Of the queue and the logs."),
            .init(
                "destinations",
                .array(
                    .record([
                        .init("name", .text(), "As --to takes it."),
                        .init("url", .text(), "Its address, without a query."),
                        .init("protocol", .text(), "As configured."),
                        .init("isDefault", .flag, "Whether it is meant where none is named."),
                    ])), "By name."),
            .init("warnings", .array(.text()), "What the configuration allows and that may do harm."),
        ],
        maybe: [.init("file", .text(), "The configuration; absent if there is none.")])
}
