import FerryFiles
import FerryProtocols
import FerryTransfer

/// Runs a secret's command: no shell, a small environment, limits on its time and on its output.
///
/// After a failure, its standard error is shown in a line that contains no secret and no part of its output.
enum SecretCommand {
    static let timeout = Duration.seconds(30)
    /// The maximum number of bytes that the command may print. No real secret is longer.
    private static let outputLimit = 65_536
    private static let passedOn = [
        "PATH", "HOME", "USER", "LANG", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
    ]

    /// - Parameters:
    ///   - others: Further variables for the command.
    ///   - limit: The time after which the command is killed, with all its children.
    static func run(
        _ words: [String], of secret: Secret, passing others: [String] = [], upTo limit: Duration = timeout
    ) async throws(UploadFailure) -> String {
        // Env runs scripts without an interpreter line too.
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

    /// Returns the last line of standard error, without the words of standard output.
    private static func words(of complaint: Data, without text: Data) -> String {
        var line = ChildCommand.Result.lastLine(of: complaint)
        for printed in String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace) {
            line = line.replacing(printed, with: "…")
        }
        return String(Redaction.text(line).prefix(200))
    }
}
