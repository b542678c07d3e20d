import ArgumentParser
import FerryFiles
import FerryTUI

/// The error messages for a command or an option that does not exist, with suggestions.
enum Misspelling {
    /// The names by which users possibly look for an option, by command, with the option that exists.
    private static let otherWords: [String: [String: String]] = {
        let synonyms = ["--dest", "--destination", "--target", "--url", "--server"]
        let to = Dictionary(uniqueKeysWithValues: synonyms.map { ($0, "--to") })
        return [
            "add": to.merging(["--name": "--as", "--force": "--again"]) { first, _ in first }, "limit": to,
            "serve": [
                "--port": "--bind", "--host": "--bind", "--listen": "--bind", "--address": "--bind",
                "--dir": "--directory", "--folder": "--directory", "--root": "--directory",
            ],
        ]
    }()

    /// The commands of other programs, each with the commands of Ferry that the user possibly means.
    private static let otherCommands: [String: [String]] = [
        "delete": ["remove"], "cancel": ["remove"], "rm": ["remove"], "kill": ["stop", "remove"],
        "quit": ["stop"], "exit": ["stop"], "log": ["history"], "logs": ["history"], "ls": ["list"],
        "start": ["run"], "upload": ["add", "run"], "send": ["add", "run"], "cp": ["add"], "put": ["add"],
    ]

    /// Returns an error if the first argument must be a command, or the second one a subcommand, but has no such name.
    ///
    /// The parser would take the word as an argument of the default command, and print that command's usage.
    static func ofCommand(in arguments: some Collection<String>) -> CommandFailure? {
        let words = Array(arguments.prefix(2))
        guard let word = words.first, isCommand(word) else { return nil }
        let commands = Ferry.configuration.subcommands
        guard let command = commands.first(where: { $0.configuration.commandName == word }) else {
            let isFile = LocalFiles.mode(of: LocalFiles.expanded(word)) != nil
            return failure(
                for: word, after: "ferry", among: names(of: commands), otherWords: otherCommands,
                otherHint: isFile
                    ? "`ferry add \(word)` queues the file" : "`ferry --help` lists the commands")
        }
        let inner = names(of: command.configuration.subcommands)
        guard !inner.isEmpty, words.count == 2, isCommand(words[1]), !inner.contains(words[1]) else {
            return nil
        }
        return failure(
            for: words[1], after: "ferry \(word)", among: inner, otherWords: [:],
            otherHint: "`ferry \(word) --help` lists the commands")
    }

    /// The letters of the short options of all commands.
    static let shortOptions = "0hry"

    /// Returns an error for the first word before `--` that begins with one dash and is neither a number nor made of
    /// short options. Such a word is often the name of a file, which the shell has put in place of a pattern.
    ///
    /// The parser would take each letter as an option. For `-dash.txt`, which contains an `h`, it would print the help.
    static func ofOption(in arguments: some Collection<String>) -> CommandFailure? {
        guard let word = arguments.prefix(while: { $0 != "--" }).first(where: isUnknownOption) else {
            return nil
        }
        return CommandFailure(
            usage: "unknown option '\(word)'",
            hint: arguments.first == "add"
                ? "`ferry add \(ShellWord.quoted("./" + word))` queues a file of that name"
                : "options of several letters begin with two dashes")
    }

    private static func isUnknownOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), !word.hasPrefix("--"), word.count > 2 else { return false }
        // The parser knows `-help`, and reports a number in place of an option's value.
        return word != "-help" && Double(word) == nil
            && !word.dropFirst().allSatisfy { shortOptions.contains($0) }
    }

    /// Returns true for a word that must be a command of Ferry; the argument parser handles `help` itself.
    private static func isCommand(_ word: String) -> Bool { !word.hasPrefix("-") && word != "help" }

    static func names(of commands: [any ParsableCommand.Type]) -> [String] {
        commands.compactMap { $0.configuration.commandName }
    }

    /// Returns the error about a command that does not exist. `start` are the words before it, such as `ferry state`.
    private static func failure(
        for word: String, after start: String, among names: [String], otherWords: [String: [String]],
        otherHint: String
    ) -> CommandFailure {
        let nearest = Suggestions.nearest(to: word, among: names).map { [$0] } ?? []
        let meant = otherWords[word.lowercased()] ?? nearest
        return CommandFailure(
            usage: "there is no command '\(word)'",
            hint: meant.isEmpty ? otherHint : Suggestions.question(meant.map { "\(start) \($0)" }))
    }

    /// Returns the end of a `ValidationError`, in the argument parser's words: " Did you mean 'failed'?", or nothing.
    static func question(on word: String, among names: [String]) -> String {
        Suggestions.nearest(to: word, among: names).map { " Did you mean '\($0)'?" } ?? ""
    }

    /// Converts an error message of the argument parser to lines in Ferry's form: `error: …` and perhaps `hint: …`.
    /// Splits any other message into its lines.
    static func lines(of message: String, arguments: some Collection<String>) -> [String] {
        let lines = message.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard var summary = lines.first, summary.hasPrefix("Error: ") else { return lines }
        summary.removeFirst("Error: ".count)
        var hints: [String] = []
        let suggested = summary.firstMatch(of: /\.? Did you mean '([^']*)'\?/)
        let offered = suggested.map { String($0.1) }
        if let suggested { summary.removeSubrange(suggested.range) }
        if let unknown = summary.firstMatch(of: /^Unknown option '(--[a-z-]+)'/) {
            let words = arguments.first.flatMap { otherWords[$0] } ?? [:]
            // `--state` is the former name of `--state-dir`, except in `ferry list`, which has both options.
            let near = offered == "--state" && arguments.first != "list" ? "--state-dir" : offered
            if let meant = words[String(unknown.1)] ?? near { hints.append(Suggestions.question([meant])) }
        } else if let offered {
            hints.append(Suggestions.question([offered]))
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
