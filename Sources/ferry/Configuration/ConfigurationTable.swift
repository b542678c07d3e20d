import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads

/// All keys of the configuration, each with its allowed values, its default and a sentence about its purpose.
///
/// Decoders take the names and ranges from it (`Fields`), and `ferry config --schema` prints it as a JSON Schema.
/// A test compares it with Manual/configuration.md and the example. Only decoders check that members exclude others.
enum ConfigurationTable {
    static var text: String { root.text(title: "Configuration of Ferry \(FerryVersion.current)") }

    private static let amount = Schema.any([
        .positive, .text(pattern: SchemaPattern.amount),
    ])
    private static let command = Schema.list(
        first: .text(pattern: SchemaPattern.pattern), others: .text(pattern: SchemaPattern.withoutNull))

    static let root = Schema.object([
        .init("$schema", .text(), "The schema's address, for editors."),
        .init("destinations", .dictionary(destination), "Where files go, by the names that --to takes."),
        .init("defaultDestination", .text(), "The destination of uploads that name none."),
        .init("proxy", proxy, "For destinations without a proxy of their own.", default: #""environment""#),
        .init(
            "whenFileChanges", FileChangePolicy.hold, "What to do with an upload whose file changed."),
        .init("onHangUp", HangUpPolicy.stop, "What a screen's uploads do when its terminal goes."),
        .init("hooks", hooks, "Commands that run when something happens."),
        .init("notify", notify, "How a person who looks elsewhere is notified."),
        .init("watch", .array(watch), "Folders whose files are uploaded when they are whole."),
        .init("limits", limits, "How much at once."),
        .init("retry", retry, "How failures are retried."),
        .init("timeouts", timeouts, "How long Ferry waits."),
        .init("connectivity", connectivity, "How Ferry treats networks."),
        .init("appearance", appearance, "How the screen looks."),
        .init("keys", keys, "Keys by action; `ferry config --keys` lists both."),
    ])

    static let connectivity = Schema.object([
        .init("monitor", .flag, "Whether Ferry watches the network.", default: "true"),
        .init("metered", NetworkPolicy.Metered.use, "What to do on a metered network."),
        .init(
            "pauseOn", .array(.text()), "Networks on which uploads pause, by NetworkManager's names.",
            default: "[]"),
    ])

    private static let keys = Schema.dictionary(
        .array(.text(pattern: SchemaPattern.key)), names: .choice(ActionTable.standard.entries.map(\.name)))

    static let destination = Schema.object(
        [
            .init(
                "url", .text(pattern: SchemaPattern.address),
                "The address: of a folder, if it ends with a slash; or s3://bucket/folder/."),
            .init("protocol", .choice(ProtocolCatalog.names), "The protocol.", default: #""auto""#),
            .init(
                "method", .text(pattern: SchemaPattern.token),
                "Another request method than the protocol's own."),
            .init("field", .text(), "The form field that carries the file.", default: #""file""#),
            .init(
                "idempotencyKey", .flag, "Whether the server honours Idempotency-Key.", default: "false"),
            .init("chunkSize", amount, "The most bytes of the file in one request."),
            .init("parallel", .whole(1...64), "Requests of one upload at once."),
            .init(
                "checksum", .choice(DigestAlgorithm.allCases.map(\.rawValue) + ["none"]),
                "The digest by which the server is asked to confirm what arrived; without it, one that it offers."
            ),
            .init(
                "ifExists", .choice(ExistingFilePolicy.self), "What to do if the name exists at the server."),
            .init(
                "deferLength", .flag, "For tus: create an upload before its length is known.",
                default: "false"),
            .init(
                "createWithContent", .flag,
                "For tus: send a file of up to 64 KiB with the request that creates its upload.",
                default: "false"),
            .init("link", link, "For post and form: where the response names the finished upload."),
            .init(
                "headers",
                .dictionary(
                    .text(pattern: SchemaPattern.oneLine), names: .text(pattern: SchemaPattern.token)),
                "Header fields of every request."),
            .init("parameters", .dictionary(parameter), "Form parameters, or metadata, of every upload."),
            .init("auth", authentication, "How requests are signed in or signed; one kind."),
            .init("s3", s3, "Where an S3 bucket is."),
            .init("tls", tls, "Which certificates are trusted and shown."),
            .init("proxy", proxy, "For this destination."),
            .init(
                "congestionControl", .text(pattern: "^[a-z0-9_]{1,15}$"),
                "The kernel's algorithm for its connections, such as bbr."),
            .init("limits", destinationLimits, "How much goes there at once."),
        ], required: ["url"])

    static let link = Schema.object([
        .init("pointer", .text(pattern: "^/"), "A JSON pointer into the response (RFC 6901)."),
        .init("header", .text(pattern: SchemaPattern.token), "The name of a response header."),
    ])

    static let destinationLimits = Schema.object([
        .init("bandwidth", amount, "Bytes per second over all uploads that go there."),
        .init("timetable", timetable, "The same by the time of day; the first that matches local time wins."),
    ])

    private static let parameterValues: [Schema] = [.text(), .flag, .number(-1e300...1e300)]
    private static let parameter = Schema.any(parameterValues + [.array(.any(parameterValues))])

    static let proxy = Schema.any([
        .text(pattern: SchemaPattern.proxy),
        .object(
            [
                .init(
                    "url", .text(pattern: SchemaPattern.proxyAddress),
                    "The address, such as http://me@proxy.example.org:3128."),
                .init("password", secret, "The password of the user in url."),
                .init("except", .array(.text()), "Hosts and networks that need no proxy.", default: "[]"),
            ], required: ["url"]),
    ])

    static let secret = Schema.any([
        .text(),
        .object([
            .init("env", .text(), "The environment variable that holds it."),
            .init(
                "file", .text(), "A file whose first line it is; a relative path starts in the home folder."),
            .init(
                "command", .array(.text(), atLeast: 1),
                "A program that prints it, and its arguments; it starts in the home folder."),
        ]),
    ])

    static let authentication = Schema.object([
        .init("basic", basic, "Name and password (RFC 7617)."),
        .init("bearer", secret, "A token (RFC 6750)."),
        .init("oauth2", oauth2, "Tokens that Ferry renews (RFC 6749 §6)."),
        .init("s3", s3Authentication, "Signatures for S3 servers."),
    ])

    static let basic = Schema.object(
        [
            .init("user", .text(pattern: "^[^:]*$"), "The name."),
            .init("password", secret, "The password."),
        ], required: ["user", "password"])

    static let oauth2 = Schema.object(
        [
            .init(
                "tokenURL", .text(pattern: SchemaPattern.tokenAddress), "Where tokens come from, by https."),
            .init(
                "clientID", .text(pattern: SchemaPattern.something),
                "The name under which the server knows Ferry."
            ),
            .init("clientSecret", secret, "The client's secret."),
            .init(
                "clientAuthentication", OAuth2Client.Authentication.basic,
                "Where the client's secret stands."),
            .init("refreshToken", secret, "The refresh token."),
            .init("scope", .text(), "The scope that Ferry asks for."),
            .init(
                "tokenFile", .text(pattern: SchemaPattern.file),
                "A file for the tokens, in place of one in the state folder."),
            .init("tls", tls, "For the token server."),
        ], required: ["tokenURL", "clientID", "refreshToken"])

    static let s3Authentication = Schema.any([
        .choice(["default"]),
        .object([
            .init("accessKey", secret, "The key's public half."),
            .init("secretKey", secret, "The key's secret half."),
            .init("sessionToken", secret, "The token of temporary keys."),
            .init(
                "profile", .text(pattern: SchemaPattern.something), "A profile in the files of AWS's tools."),
            .init(
                "command", command,
                "A program that prints credentials, as credential_process does; it starts in the home folder."
            ),
        ]),
    ])

    static let s3 = Schema.object([
        .init("region", .text(pattern: SchemaPattern.name), "The region, such as eu-west-1."),
        .init("endpoint", .text(), "Another server than AWS's."),
        .init("addressing", S3Location.Addressing.auto, "Where the bucket stands in the address."),
        .init("payload", S3PayloadForm.auto, "How signatures cover bodies."),
        .init(
            "storageClass", .text(pattern: SchemaPattern.name), "The storage class, such as STANDARD_IA."),
    ])

    static let tls = Schema.object([
        .init(
            "caFile", .text(),
            "A file of certificates to trust in place of the system's; a relative path starts in the home folder.",
            formerly: "authorities"),
        .init(
            "certificate", .text(),
            "A file with Ferry's own certificate; needs key. A relative path starts in the home folder."),
        .init(
            "key", .text(), "A file with the certificate's key; a relative path starts in the home folder."),
        .init(
            "pins", .array(.text(pattern: SchemaPattern.pin)),
            "Public keys of which the server must have one.",
            default: "[]"),
        .init("minimumVersion", TLSSettings.Version.tls12, "The oldest version of TLS."),
        .init(
            "insecure", .flag,
            "True takes any certificate: anybody can read and change what is sent.", default: "false"),
        .init(
            "allowLegacyCiphers", .flag,
            "True offers old cipher suites of TLS 1.2 too, without forward secrecy or in CBC mode.",
            default: "false"),
    ])

    static let hooks = Schema.object(
        QueueEvent.Name.allCases.map { event in
            .init(
                event.rawValue, .any([command, .array(command, atLeast: 1)]),
                "A program and its arguments, or a list of such lists; they start in the home folder.")
        } + [.init("timeout", .number(0.1...3600), "Seconds after which a command is killed.", default: "10")]
    )

    static let notify = Schema.object([
        .init(
            "terminal", TerminalNotification.Signal.none, "By the terminal's bell, or a notification (OSC 9)."
        ),
        .init("desktop", .flag, "By notify-send, if there is a desktop.", default: "false"),
        .init(
            "on", .array(.choice(QueueEvent.Name.self), atLeast: 1), "The events to notify of.",
            default: #"["idle", "failed", "held"]"#),
    ])

    static let watch = Schema.object(
        [
            .init("folder", .text(pattern: SchemaPattern.path), "The folder's path."),
            .init("to", .text(), "A destination's name or an address, in place of the default destination."),
            .init(
                "include", .array(.text(pattern: SchemaPattern.pattern)), "Patterns for the files to upload.",
                default: "[]"),
            .init(
                "exclude", .array(.text(pattern: SchemaPattern.pattern)),
                "Patterns for files and folders to leave out.", default: "[]"),
            .init("recursive", .flag, "Whether subfolders are watched too.", default: "false"),
            .init(
                "settle", .number(WatchSettings.settleRange), "How many seconds a file must be unchanged.",
                default: "5"),
            .init(
                "after", .any([.choice(["keep", "delete"]), after]),
                "What to do with an uploaded file.", default: #""keep""#),
        ], required: ["folder"])

    static let after = Schema.object(
        [.init("move", .text(pattern: SchemaPattern.path), "The folder to move the file to.")],
        required: ["move"])

    static let limits = Schema.object([
        .init(
            "concurrency", .whole(QueueSettings.slotCounts),
            "Uploads at once; without it 4, or up to 64 small files (256 if that is faster)."),
        .init("perHost", .whole(QueueSettings.slotCounts), "Uploads to one host at once."),
        .init("bandwidth", amount, "Bytes per second over all uploads, such as 65536, \"500K\" or \"2M\"."),
        .init("timetable", timetable, "The same by the time of day; the first that matches local time wins."),
        .init("done", .whole(0...10_000), "Done uploads that stay in the queue.", default: "1000"),
    ])

    static let timetableEntry = Schema.object(
        [
            .init(
                "days", .text(pattern: SchemaPattern.days),
                "The days on which it begins, such as mon-fri or sat,sun; without it, all."),
            .init(
                "from", .text(pattern: SchemaPattern.timeOfDay), "The time of day when it begins.",
                default: #""00:00""#),
            .init(
                "to", .text(pattern: "\(SchemaPattern.timeOfDay)|^24:00$"),
                "The time of day when it ends, on the next day if it is not after from.", default: #""24:00""#
            ),
            .init("bandwidth", .any([amount, .choice(["off"])]), "Bytes per second, or off for no limit."),
        ], required: ["bandwidth"])
    private static let timetable = Schema.array(timetableEntry)

    static let retry = Schema.object([
        .init("base", .number(0.01...3600), "Seconds before the first new attempt, about.", default: "1"),
        .init("cap", .number(0.01...86_400), "The most seconds between two attempts.", default: "120"),
        .init(
            "serverTries", .whole(1...1000), "Refusals by a server before an upload has failed.",
            default: "10"),
        .init(
            "onUncertain", QueueRetryPolicy.OnUncertain.hold,
            "What to do if a request went out whole and got no response."),
    ])

    static let timeouts = Schema.object([
        .init("connect", .number(0.1...3600), "Seconds for a connection.", default: "15"),
        .init("stall", .number(0.1...86_400), "Seconds without a byte that moves.", default: "30"),
        .init(
            "response", .number(0.1...86_400), "Seconds for the response after the last byte.", default: "60"),
        .init("read", .number(0.1...86_400), "Seconds for a read of a file.", default: "30"),
    ])

    static let appearance = Schema.object([
        .init(
            "color", Screen.Configuration.Colour.auto, "When there are colours; direct: 24-bit colour."),
        .init("glyphs", Screen.Configuration.GlyphChoice.auto, "The signs of the screen."),
        .init("theme", .choice(Theme.builtIn.map(\.key)), "One of Ferry's themes.", default: #""default""#),
        .init(
            "themeFile", .text(),
            "A theme of your own, in place of theme; a relative path starts in the home folder."),
        .init("graph", AppearanceSettings.Graph.auto, "The signs of graphs."),
        .init("mouse", .flag, "Whether the screen takes clicks.", default: "true"),
        .init(
            "slow", .flag, "At most one frame a second without a key.", default: "false"),
    ])
}
