import ArgumentParser
import FerryTUI
import Foundation

/// What a person may have meant who typed a command or an option that there is not.
enum Misspelling {
    /// Other words for an option, which no likeness of letters leads to, by command.
    private static let otherWords: [String: [String: String]] = {
        let places = ["--dest", "--destination", "--target", "--url", "--server"]
        let to = Dictionary(uniqueKeysWithValues: places.map { ($0, "--to") })
        return [
            "add": to.merging(["--name": "--as", "--force": "--again"]) { first, _ in first },
            "limit": to,
        ]
    }()

    /// The mistake of a first word that is no command; nil if it is one, or an option.
    ///
    /// The parser would take it for an argument of the command that may be left out, and print that command's usage.
    static func ofCommand(in arguments: some Collection<String>) -> CommandFailure? {
        let names = Ferry.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help", !names.contains(word) else {
            return nil
        }
        let summary = "there is no command '\(word)'"
        if let nearest = Spelling.nearest(to: word, among: names) {
            return CommandFailure(
                status: CommandFailure.usage, summary: summary, hint: "did you mean `ferry \(nearest)`?")
        }
        let isFile = LocalFiles.mode(of: LocalFiles.expanded(word)) != nil
        return CommandFailure(
            status: CommandFailure.usage, summary: summary,
            hint: isFile ? "`ferry add \(word)` queues the file" : "`ferry --help` lists the commands")
    }

    /// The parser's message with a better guess at the option that was meant, where one is known.
    static func corrected(_ message: String, arguments: some Collection<String>) -> String {
        guard let words = arguments.first.flatMap({ otherWords[$0] }),
            let match = message.firstMatch(
                of: /Unknown option '(--[a-z-]+)'\.?( Did you mean '[^']*'\?)?/),
            let meant = words[String(match.1)]
        else { return message }
        let better = "Unknown option '\(match.1)'. Did you mean '\(meant)'?"
        return message.replacingCharacters(in: match.range, with: better)
    }
}
