import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads

/// The configuration as a JSON Schema, for editors: what `ferry config --schema` prints. What members may be together is
/// told by `ferry config` alone.
enum ConfigurationSchema {
    static var text: String { root.text(title: "Configuration of Ferry \(FerryVersion.current)") }

    /// In bytes.
    private static let amount = Schema.any([
        .whole(1...Int.max), .text(pattern: SchemaPattern.amount),
    ])
    private static let command = Schema.list(
        first: .text(pattern: SchemaPattern.pattern), others: .text(pattern: SchemaPattern.withoutNull))

    private static let secret = Schema.any([
        .text(),
        .object([
            .init("env", .text(), "The environment variable that holds it."),
            .init("file", .text(), "A file whose first line it is."),
            .init("command", .array(.text(), atLeast: 1), "A program that prints it, and its arguments."),
        ]),
    ])

    static let root = Schema.object([
        .init("$schema", .text(), "Where this schema is, for editors."),
        .init("destinations", .dictionary(destination), "Where files go, by the names that --to takes."),
        .init("defaultDestination", .text(), "The destination that is meant where none is named."),
        .init("proxy", proxy, "For destinations that have none of their own."),
        .init(
            "whenFileChanges", .choice(FileChangePolicy.self), "What becomes of an upload whose file changed."
        ),
        .init("onHangUp", .choice(HangUpPolicy.self), "What a screen's uploads do when its terminal goes."),
        .init("hooks", hooks, "Commands that are run when something happens."),
        .init("notify", notify, "How a person who looks elsewhere is called."),
        .init("watch", .array(watch), "Folders whose files are uploaded when they are whole."),
        .init("limits", limits, "How much at once."),
        .init("retry", retry, "How failures are tried again."),
        .init("timeouts", timeouts, "In seconds."),
        .init(
            "connectivity",
            .object([
                .init("monitor", .flag, "Whether the network is watched."),
                .init(
                    "metered", .choice(NetworkPolicy.Metered.self),
                    "What becomes of uploads on a metered network."),
                .init(
                    "pauseOn", .array(.text()), "Networks on which uploads pause, by NetworkManager's names."),
            ]), "How the network is taken."),
        .init("appearance", appearance, "How the screen looks."),
        .init("keys", keys, "Keys by action; `ferry config --keys` lists both."),
    ])

    private static let keys = Schema.dictionary(
        .array(.text(pattern: SchemaPattern.key)), names: .choice(ActionTable.standard.entries.map(\.name)))

    private static let destination = Schema.object(
        [
            .init(
                "url", .text(pattern: SchemaPattern.address),
                "The address: of a folder, if it ends with a slash; or s3://bucket/folder/."),
            .init("protocol", .choice(ProtocolCatalog.names), "auto if it says nothing."),
            .init(
                "method", .text(pattern: SchemaPattern.token),
                "Another request method than the protocol's own."),
            .init("field", .text(), "The form field that carries the file; file if it says nothing."),
            .init("idempotencyKey", .flag, "Whether the server honours Idempotency-Key."),
            .init("chunkSize", amount, "The most bytes of the file in one request."),
            .init("parallel", .whole(1...64), "Requests of one upload at once."),
            .init(
                "checksum", .choice(DigestAlgorithm.allCases.map(\.rawValue) + ["none"]),
                "The digest by which the server must confirm what arrived; without it, one that it offers."),
            .init(
                "ifExists", .choice(ExistingFilePolicy.self), "What becomes of a file whose place is taken."),
            .init("deferLength", .flag, "For tus: create an upload before its length is told."),
            .init(
                "link",
                .object([
                    .init("pointer", .text(pattern: "^/"), "Into a JSON answer (RFC 6901)."),
                    .init("header", .text(pattern: SchemaPattern.token), "The name of a response header."),
                ]), "For post and form: where the answer names what the upload became."),
            .init(
                "headers",
                .dictionary(
                    .text(pattern: SchemaPattern.oneLine), names: .text(pattern: SchemaPattern.token)),
                "Request headers of every request."),
            .init("parameters", .dictionary(parameter), "Form parameters, or metadata, of every upload."),
            .init("auth", authentication, "How requests are signed or vouched for; one kind."),
            .init("s3", s3, "Where an S3 bucket is."),
            .init("tls", tls, "Whom to trust, and who we are."),
            .init("proxy", proxy, "For this destination."),
            .init(
                "congestionControl", .text(pattern: "^[a-z0-9_]{1,15}$"),
                "The kernel's algorithm for its connections, such as bbr; the system's if it says nothing."),
            .init(
                "limits",
                .object([
                    .init("bandwidth", amount, "Bytes per second over all uploads that go there."),
                    .init("timetable", timetable, "The same by the time of day; the first that fits counts."),
                ]), "How much goes there at once."),
        ], required: ["url"])

    private static let parameterValues: [Schema] = [.text(), .flag, .number(-1e300...1e300)]
    private static let parameter = Schema.any(parameterValues + [.array(.any(parameterValues))])

    private static let proxy = Schema.any([
        .text(pattern: SchemaPattern.proxy),
        .object(
            [
                .init(
                    "url", .text(pattern: SchemaPattern.proxyAddress),
                    "Such as http://me@proxy.example.org:3128."),
                .init("password", secret, "Of the user in url."),
                .init("except", .array(.text()), "Hosts and networks that are reached without it."),
            ], required: ["url"]),
    ])

    private static let authentication = Schema.object([
        .init(
            "basic",
            .object(
                [
                    .init("user", .text(pattern: "^[^:]*$"), "The name."),
                    .init("password", secret, "A secret."),
                ],
                required: ["user", "password"]), "Name and password (RFC 7617)."),
        .init("bearer", secret, "A token (RFC 6750)."),
        .init("oauth2", oauth2, "Tokens that are renewed (RFC 6749 §6)."),
        .init("s3", s3Authentication, "Signatures as S3 servers want them."),
    ])

    private static let oauth2 = Schema.object(
        [
            .init(
                "tokenURL", .text(pattern: SchemaPattern.tokenAddress), "Where tokens come from, by https."),
            .init(
                "clientID", .text(pattern: SchemaPattern.something),
                "The name that the server knows this program by."),
            .init("clientSecret", secret, "A secret."),
            .init(
                "clientAuthentication", .choice(OAuth2Client.Authentication.self), "Where the secret stands."),
            .init("refreshToken", secret, "A secret."),
            .init("scope", .text(), "What is asked for."),
            .init(
                "tokenFile", .text(pattern: SchemaPattern.file),
                "Where tokens are kept; in the state folder if it says nothing."),
            .init("tls", tls, "Of the token server."),
        ], required: ["tokenURL", "clientID", "refreshToken"])

    private static let s3Authentication = Schema.any([
        .choice(["default"]),
        .object([
            .init("accessKey", secret, "The key's public half."),
            .init("secretKey", secret, "Its secret half."),
            .init("sessionToken", secret, "Of temporary keys."),
            .init("profile", .text(pattern: SchemaPattern.something), "Of the files of AWS's tools."),
            .init("command", command, "A program that prints credentials, as credential_process does."),
        ]),
    ])

    private static let s3 = Schema.object([
        .init("region", .text(pattern: SchemaPattern.name), "Such as eu-west-1."),
        .init("endpoint", .text(), "Another server than AWS's."),
        .init("addressing", .choice(S3Location.Addressing.self), "Where the bucket stands in the address."),
        .init("payload", .choice(S3PayloadForm.self), "How bodies are vouched for."),
        .init("storageClass", .text(pattern: SchemaPattern.name), "Such as STANDARD_IA."),
    ])

    private static let tls = Schema.object([
        .init("authorities", .text(), "A file of certificates to trust in place of the system's."),
        .init("certificate", .text(), "A file with ours, with key."),
        .init("key", .text(), "A file with its key."),
        .init("pins", .array(.text(pattern: SchemaPattern.pin)), "Public keys, one of which there must be."),
        .init("minimumVersion", .choice(TLSSettings.Version.self), "Of TLS."),
        .init("insecure", .flag, "True takes any certificate: anybody can read and change what is sent."),
        .init(
            "allowLegacyCiphers", .flag,
            "True offers old cipher suites of TLS 1.2 too, without forward secrecy or in CBC mode."),
    ])

    private static let hooks = Schema.object(
        QueueEvent.Name.allCases.map { event in
            .init(
                event.rawValue, .any([command, .array(command, atLeast: 1)]),
                "A program and its arguments, or a list of such lists.")
        } + [.init("timeout", .number(0.1...3600), "Seconds after which a command is ended.")])

    private static let notify = Schema.object([
        .init(
            "terminal", .choice(TerminalCall.Way.self), "By the terminal's bell, or a notification (OSC 9)."),
        .init("desktop", .flag, "By notify-send, where there is one and a desktop."),
        .init("on", .array(.choice(QueueEvent.Name.self), atLeast: 1), "For which events."),
    ])

    private static let watch = Schema.object(
        [
            .init("folder", .text(pattern: SchemaPattern.path), "Its path."),
            .init("to", .text(), "A destination's name or an address; the default one if it says nothing."),
            .init(
                "include", .array(.text(pattern: SchemaPattern.pattern)),
                "Patterns for the files that are meant; all if there is none."),
            .init(
                "exclude", .array(.text(pattern: SchemaPattern.pattern)),
                "Patterns for files and folders that are not."),
            .init("recursive", .flag, "Whether folders in it belong to it."),
            .init("settle", .number(WatchSettings.settleRange), "Seconds for which a file must not change."),
            .init(
                "after",
                .any([
                    .choice(["keep", "delete"]),
                    .object(
                        [.init("move", .text(pattern: SchemaPattern.path), "Where to.")], required: ["move"]),
                ]), "What becomes of a file that has been uploaded."),
        ], required: ["folder"])

    private static let limits = Schema.object([
        .init(
            "concurrency", .whole(1...256), "Uploads at once; 4, or up to 32 small files, if it says nothing."
        ),
        .init("perHost", .whole(1...256), "Uploads to one host at once."),
        .init("bandwidth", amount, "Bytes per second over all uploads."),
        .init("timetable", timetable, "The same by the time of day; the first that fits counts."),
        .init("done", .whole(0...10_000), "Done uploads that stay in the queue."),
    ])

    private static let timetable = Schema.array(
        .object(
            [
                .init(
                    "days", .text(pattern: SchemaPattern.days),
                    "On which it begins, such as mon-fri or sat,sun; every day if it says nothing."),
                .init(
                    "from", .text(pattern: SchemaPattern.timeOfDay),
                    "Such as 08:00; 00:00 if it says nothing."),
                .init(
                    "to", .text(pattern: "\(SchemaPattern.timeOfDay)|^24:00$"),
                    "Of the next day if it is not after from; 24:00 if it says nothing."),
                .init(
                    "bandwidth", .any([amount, .choice(["off"])]), "Bytes per second, or off for no limit."),
            ], required: ["bandwidth"]))

    private static let retry = Schema.object([
        .init("base", .number(0.01...3600), "Seconds before the first new try, about."),
        .init("cap", .number(0.01...86_400), "Seconds between two tries at most."),
        .init("serverTries", .whole(1...1000), "Refusals by a server before an upload has failed."),
        .init(
            "onUncertain", .choice(QueueRetryPolicy.OnUncertain.self),
            "What becomes of an upload that went out whole without an answer."),
    ])

    private static let timeouts = Schema.object([
        .init("connect", .number(0.1...3600), "Seconds for a connection."),
        .init("stall", .number(0.1...86_400), "Seconds without a byte that moves."),
        .init("response", .number(0.1...86_400), "Seconds for the answer after the last byte."),
        .init("read", .number(0.1...86_400), "Seconds for a file's medium."),
    ])

    private static let appearance = Schema.object([
        .init("color", .choice(Screen.Configuration.Colour.self), "direct are exact ones of 24 bits."),
        .init("glyphs", .choice(Screen.Configuration.GlyphChoice.self), "Which signs are drawn."),
        .init("theme", .choice(Theme.builtIn.map(\.key)), "One of Ferry's."),
        .init("themeFile", .text(), "One of your own, in place of theme."),
        .init("graph", .choice(AppearanceSettings.Graph.self), "What graphs are drawn with."),
        .init("mouse", .flag, "Whether clicks are taken."),
        .init("slow", .flag, "At most one frame a second of what moves by itself."),
    ])
}
