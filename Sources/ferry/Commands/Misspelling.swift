import ArgumentParser
import FerryFiles
import FerryTUI

/// Suggestions for a command or an option that does not exist.
enum Misspelling {
    /// The options that users mean by other words, by command.
    private static let otherWords: [String: [String: String]] = {
        let places = ["--dest", "--destination", "--target", "--url", "--server"]
        let to = Dictionary(uniqueKeysWithValues: places.map { ($0, "--to") })
        return [
            "add": to.merging(["--name": "--as", "--force": "--again"]) { first, _ in first },
            "limit": to,
        ]
    }()

    /// Returns the error for a first word that is no command; nil for a command or an option.
    ///
    /// The parser would read the word as an argument of the default command, and print that command's usage.
    static func ofCommand(in arguments: some Collection<String>) -> CommandFailure? {
        let names = Ferry.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help", !names.contains(word) else {
            return nil
        }
        let summary = "there is no command '\(word)'"
        if let nearest = Suggestions.nearest(to: word, among: names) {
            return CommandFailure(
                status: CommandFailure.usage, summary: summary, hint: "did you mean `ferry \(nearest)`?")
        }
        let isFile = LocalFiles.mode(of: LocalFiles.expanded(word)) != nil
        return CommandFailure(
            status: CommandFailure.usage, summary: summary,
            hint: isFile ? "`ferry add \(word)` queues the file" : "`ferry --help` lists the commands")
    }

    /// Returns the parser's message with the option that was probably meant, if it is known.
    static func corrected(_ message: String, arguments: some Collection<String>) -> String {
        guard let words = arguments.first.flatMap({ otherWords[$0] }),
            let match = message.firstMatch(
                of: /Unknown option '(--[a-z-]+)'\.?( Did you mean '[^']*'\?)?/),
            let meant = words[String(match.1)]
        else { return message }
        let better = "Unknown option '\(match.1)'. Did you mean '\(meant)'?"
        return message[..<match.range.lowerBound] + better + message[match.range.upperBound...]
    }
}
