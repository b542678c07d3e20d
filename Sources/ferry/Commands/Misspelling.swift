import ArgumentParser
import FerryFiles
import FerryTUI

/// The error messages for a command or an option that does not exist, with suggestions.
enum Misspelling {
    /// The wrong option names that users may try, each with the right option name, grouped by command.
    private static let otherWords: [String: [String: String]] = {
        let synonyms = ["--dest", "--destination", "--target", "--url", "--server"]
        let to = Dictionary(uniqueKeysWithValues: synonyms.map { ($0, "--to") })
        return [
            "add": to.merging(["--name": "--as", "--force": "--again"]) { first, _ in first },
            "limit": to,
            "serve": [
                "--port": "--bind", "--host": "--bind", "--listen": "--bind", "--address": "--bind",
                "--dir": "--directory", "--folder": "--directory", "--root": "--directory",
            ],
        ]
    }()

    /// Returns the error for a first argument that is neither a command nor an option; nil otherwise.
    ///
    /// Without this check, the parser would take it as an argument of the default command, and print that command's
    /// usage.
    static func ofCommand(in arguments: some Collection<String>) -> CommandFailure? {
        let names = Ferry.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard let word = arguments.first, !word.hasPrefix("-"), word != "help", !names.contains(word) else {
            return nil
        }
        let summary = "there is no command '\(word)'"
        if let nearest = Suggestions.nearest(to: word, among: names) {
            return CommandFailure(usage: summary, hint: "did you mean `ferry \(nearest)`?")
        }
        let isFile = LocalFiles.mode(of: LocalFiles.expanded(word)) != nil
        return CommandFailure(
            usage: summary,
            hint: isFile ? "`ferry add \(word)` queues the file" : "`ferry --help` lists the commands")
    }

    /// Converts the parser's message about wrong usage to the form of Ferry's messages: one line with the error, and
    /// one with a hint, such as the option that was probably meant. Returns the lines of any other message unchanged.
    static func lines(of message: String, arguments: some Collection<String>) -> [String] {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard var summary = lines.first, summary.hasPrefix("Error: ") else { return lines }
        summary.removeFirst("Error: ".count)
        var hints: [String] = []
        let suggested = summary.firstMatch(of: /\.? Did you mean '([^']*)'\?/)
        if let suggested { summary.removeSubrange(suggested.range) }
        if let unknown = summary.firstMatch(of: /^Unknown option '(--[a-z-]+)'/) {
            let words = arguments.first.flatMap { otherWords[$0] } ?? [:]
            // `--state` is the former name of `--state-dir`.
            let near = suggested.map { $0.1 == "--state" ? "--state-dir" : String($0.1) }
            if let meant = words[String(unknown.1)] ?? near { hints.append("did you mean '\(meant)'?") }
        } else if let suggested {
            hints.append("did you mean '\(suggested.1)'?")
        }
        let help = lines.first { $0.hasPrefix("Help:") }.map { $0.dropFirst("Help:".count) }
        if let help { hints.append(help.split(separator: " ").joined(separator: " ")) }
        if let page = message.firstMatch(of: /See '(ferry[^']*)' for more/) {
            hints.append("`\(page.1)` explains the command")
        }
        if summary.hasSuffix(".") { summary.removeLast() }
        let error = "error: " + summary.prefix(1).lowercased() + summary.dropFirst()
        return [error] + (hints.isEmpty ? [] : ["hint: " + hints.joined(separator: " ")])
    }
}
