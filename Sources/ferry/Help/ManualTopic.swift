import ArgumentParser
import CFerryManual
import FerryTUI

/// A page of the manual. `ferry help TOPIC` shows it. The pages are the files Sources/Manual/*.md.
struct ManualTopic {
    let name: String
    let text: String

    /// All pages, in the order of the table of contents.
    static let all = (0..<manual_page_count).map { page in
        ManualTopic(
            name: String(cString: manual_page_topic(page)), text: String(cString: manual_page_text(page)))
    }

    /// The first line of the page, without the leading `#`.
    var title: String { String(text.prefix { $0 != "\n" }.drop { $0 == "#" || $0 == " " }) }

    /// Returns what `ferry help topics` or `ferry help TOPIC` prints; nil for arguments of the argument parser.
    /// - Throws: `CommandFailure` if the arguments are `help` and a word that is neither a topic nor a command.
    static func text(
        for arguments: some Collection<String>, columns: Int
    ) throws(CommandFailure) -> String? {
        let words = Array(arguments)
        guard words.count == 2, words[0] == "help", let word = words.last, !word.hasPrefix("-") else {
            return nil
        }
        if word == "topics" { return contents }
        if let topic = all.first(where: { $0.name == word }) {
            return PageText(columns: columns).text(of: topic.text)
        }
        guard word != "help", !commands.contains(word) else { return nil }
        let nearest = Suggestions.nearest(to: word, among: commands + all.map(\.name))
        throw CommandFailure(
            usage: "there is no command or topic '\(word)'",
            hint: nearest.map { Suggestions.question(["ferry help \($0)"]) }
                ?? "`ferry help topics` lists the pages")
    }

    static var commands: [String] { Misspelling.names(of: Ferry.configuration.subcommands) }

    private static var contents: String {
        let width = all.map(\.name.count).max() ?? 0
        let lines = all.map { UploadText.padded($0.name, width + 2) + $0.title }
        return lines.joined(separator: "\n") + "\n\n`ferry help TOPIC` shows a page.\n"
    }
}
