import ArgumentParser
import FerryFiles
import FerryProtocols
import FerryReceiver

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Receive uploads into a folder: PUT, POST, forms and tus.",
        discussion: """
            PUT files to /NAME, POST files or forms to /, or use tus at /files/. Folders in names are kept; hidden names \
            are refused. Only this machine can reach it unless --bind says otherwise. Clients need a token: without \
            --token-file the first start makes one, prints it, and keeps it in the folder (.ferry/token).

              ferry serve --directory in
              ferry serve --bind 0.0.0.0:8443 --tls-certificate cert.pem --tls-key key.pem
            """)

    @Option(help: "The folder for the files; created if missing.", completion: .directory)
    var directory = "ferry-received"

    @Option(help: "HOST:PORT to listen on; port 0 takes any free one.") var bind = "127.0.0.1:8080"

    @Option(help: "A file with the token that clients must send; only you may read it.", completion: .file())
    var tokenFile: String?

    @Flag(help: "Accept uploads without a token, from every user of this machine.") var noToken = false

    @Option(help: "A certificate chain in PEM, for TLS.", completion: .file()) var tlsCertificate: String?

    @Option(help: "The certificate's key in PEM; only you may read it.", completion: .file())
    var tlsKey: String?

    @Option(help: "The largest accepted upload, such as 500M (MiB) or 2G (GiB).") var maxSize: String?

    @Option(help: "The most bytes to store in all while it runs, such as 500M (MiB) or 50G (GiB).")
    var quota: String?

    @Flag(help: "Replace files of the same name instead of numbering them.") var overwrite = false

    @Flag(help: "Let clients list folders and read files; rclone needs this.") var list = false

    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
        let report = ReceiverReport(isJSON: json)
        let receiver = try UploadReceiver(try configuration()) { report.print($0) }
        // A user who can change a folder above could put another folder with a token in its place.
        if let token = receiver.token { try FileTrust.check(token.path, as: "the receiver's token") }
        let signals = SignalStream([Signal.interrupt, Signal.terminate, Signal.hangUp])
        let serving = Task {
            try await receiver.run { report.print($0, folder: directory, token: receiver.token) }
        }
        let stopping = Task {
            for await _ in signals.values { serving.cancel() }
        }
        defer { stopping.cancel() }
        let ended = await serving.result
        await report.flush()
        do { try ended.get() } catch is CancellationError {}
    }

    func validate() throws {
        _ = try endpoint
        _ = try (Self.amount(maxSize, of: "--max-size"), Self.amount(quota, of: "--quota"))
        if noToken, tokenFile != nil { throw ValidationError("Give --no-token or --token-file, not both.") }
        try require(
            (tlsCertificate == nil) == (tlsKey == nil), "Give --tls-certificate and --tls-key together.")
    }

    private func configuration() throws -> ReceiverConfiguration {
        let (host, port) = try endpoint
        var configuration = ReceiverConfiguration(
            directory: LocalFiles.absolute(directory), host: host, port: port,
            maximumSize: try Self.amount(maxSize, of: "--max-size"))
        configuration.overwrite = overwrite
        configuration.limits.quota = try Self.amount(quota, of: "--quota")
        configuration.token = try token()
        configuration.makesToken = !noToken
        configuration.allowListing = list
        configuration.allowDownload = list
        if let tlsCertificate, let tlsKey {
            let (certificate, key) = (LocalFiles.expanded(tlsCertificate), LocalFiles.expanded(tlsKey))
            try FileTrust.check(certificate, as: "the certificate")
            try FileTrust.check(key, as: "the key")
            try FileTrust.checkSecrecy(of: key, as: "the key")
            configuration.tls = ReceiverTLS(certificate: certificate, key: key)
        }
        return configuration
    }

    private var endpoint: (host: String, port: Int) {
        get throws(ValidationError) {
            guard let colon = bind.lastIndex(of: ":"), let port = Int(bind[bind.index(after: colon)...]),
                (0...65_535).contains(port)
            else { throw ValidationError("--bind takes HOST:PORT, such as 127.0.0.1:8080.") }
            return (bind[..<colon].trimmed { $0 == "[" || $0 == "]" }, port)
        }
    }

    private static func amount(_ text: String?, of option: String) throws(ValidationError) -> Int? {
        guard let text else { return nil }
        guard let size = ByteFormat.parse(text), let amount = Int(exactly: size), amount > 0 else {
            throw ValidationError("\(option) takes an amount such as 500M (MiB) or 2G (GiB).")
        }
        return amount
    }

    private func token() throws -> String? {
        guard let tokenFile else { return nil }
        let path = LocalFiles.expanded(tokenFile)
        try FileTrust.check(path, as: "the token file")
        let line = "write a long random line into it"
        let secrecy = "`chmod 600 \(ShellWord.quoted(path))`"
        guard let mode = LocalFiles.mode(of: path), let data = LocalFiles.content(of: path) else {
            throw CommandFailure(
                usage: "the token file \(path) cannot be read", hint: "\(line), and \(secrecy)")
        }
        guard mode & 0o077 == 0 else {
            throw CommandFailure(usage: "others can read the token file \(path)", hint: secrecy)
        }
        guard data.count <= LocalFiles.sizeLimit else {
            throw CommandFailure(
                usage: "the token file \(path) is larger than 1 MiB", hint: "\(line), and nothing else")
        }
        let token = String(decoding: data, as: UTF8.self).trimmedOfLines()
        guard !token.isEmpty else {
            throw CommandFailure(usage: "the token file \(path) is empty", hint: line)
        }
        return token
    }
}
