import FerryFiles
import FerryProtocols
import FerryTransfer

/// Runs a secret's command: no shell, a small environment, limits on its time and on what it prints.
///
/// What it complains of is shown when it fails, in a line without what looks like a secret and without anything that it
/// printed as one.
enum SecretCommand {
    static let timeout = Duration.seconds(30)
    /// The most bytes of standard output; more is no secret.
    private static let outputLimit = 65_536
    private static let passedOn = [
        "PATH", "HOME", "USER", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    ]

    /// - Parameters:
    ///   - others: Variables that the command gets besides.
    ///   - limit: After so long it is killed, with all that it started.
    static func run(
        _ words: [String], of secret: Secret, passing others: [String] = [], upTo limit: Duration = timeout
    ) async throws(UploadFailure) -> String {
        // By way of env, which runs scripts without a first line too.
        let command = ChildCommand(
            words: ["/usr/bin/env", "--"] + words,
            environment: ChildCommand.environment(passedOn + others), output: .all(atMost: outputLimit))
        let result: ChildCommand.Result
        do throws(ChildCommand.CannotStart) { result = try await command.run(upTo: limit) } catch {
            throw SecretReader.missing(secret, "cannot be run")
        }
        switch result.ending {
        case .exited(0): return String(decoding: result.output, as: UTF8.self)
        case .exited(let status), .killed(by: let status):
            let words = Self.words(of: result.complaint, without: result.output)
            throw SecretReader.missing(
                secret, "ended with status \(status)" + (words.isEmpty ? "" : ": \(words)"))
        case .printedTooMuch: throw SecretReader.missing(secret, "printed more than \(outputLimit) bytes")
        case .timedOut, .cancelled: throw SecretReader.missing(secret, "did not end in time")
        }
    }

    /// Returns the command's complaint, without what it printed as a secret.
    private static func words(of complaint: Data, without text: Data) -> String {
        var line = ChildCommand.Result.lastLine(of: complaint)
        for printed in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace) {
            line = line.replacing(printed, with: "…")
        }
        return String(Redaction.text(line).prefix(200))
    }
}
