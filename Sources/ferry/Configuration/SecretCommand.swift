import FerryProtocols
import FerryTransfer

/// Runs a command that prints a secret, without a shell, with few environment variables and limited time and output.
///
/// If the command fails, the error ends with the last line of the command's standard error. In this line, `…` replaces
/// each word that standard output contains too, because such a word is possibly the secret.
enum SecretCommand {
    static let timeout = Duration.seconds(30)
    private static let outputLimit = 65_536
    private static let passedOn = [
        "PATH", "HOME", "USER", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    ]

    /// Returns the standard output of the command.
    /// - Parameter others: The environment variables that this command receives besides those for all commands.
    /// - Throws: `UploadFailure` (`authentication`) if the command fails, prints too much or takes too long, or
    ///   if other users can change its program or a file that its arguments name.
    static func run(
        _ words: [String], of secret: Secret, passing others: [String] = [], upTo limit: Duration = timeout
    ) async throws(UploadFailure) -> String {
        try SecretReader.check(Configuration.programs(of: words, at: "a secret's command"))
        // The command is run by env(1), which also runs scripts that have no interpreter line.
        let command = ChildCommand(
            words: ["/usr/bin/env", "--"] + words,
            environment: ChildCommand.environment(passedOn + others), folder: LocalFiles.commandFolder,
            output: .all(atMost: outputLimit))
        let result: ChildCommand.Result
        do throws(ChildCommand.CannotStart) { result = try await command.run(upTo: limit) } catch {
            guard !DescriptorLimit.isLow else { throw .noDescriptor(for: words.first) }
            throw SecretReader.missing(secret, "cannot be run")
        }
        switch result.ending {
        case .exited(0): return String(decoding: result.output, as: UTF8.self)
        case .exited(let status): throw Self.missing(secret, "ended with status \(status)", result)
        case .killed(by: let signal): throw Self.missing(secret, "was killed by signal \(signal)", result)
        case .printedTooMuch: throw SecretReader.missing(secret, "printed more than \(outputLimit) bytes")
        case .timedOut, .cancelled: throw SecretReader.missing(secret, "did not end in time")
        }
    }

    private static func missing(
        _ secret: Secret, _ ending: String, _ result: ChildCommand.Result
    ) -> UploadFailure {
        let words = words(of: result.complaint, without: result.output)
        return SecretReader.missing(secret, ending + (words.isEmpty ? "" : ": \(words)"))
    }

    /// Returns the last line of standard error, without text that looks like a secret, and at most 200 characters long.
    private static func words(of complaint: Data, without text: Data) -> String {
        var line = ChildCommand.Result.lastLine(of: complaint)
        for printed in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace) {
            line = line.replacing(printed, with: "…")
        }
        return String(Redaction.text(line).prefix(200))
    }
}
