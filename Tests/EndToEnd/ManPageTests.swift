import FerryTestSupport
import Foundation
import Testing

/// The manual pages that `.packaging/manual` makes, and what they share with the pages of `ferry help`.
@Suite(
    .fewAtOnce, .timeLimit(.minutes(10)),
    .enabled(if: Privilege.has("python3"), "needs python3; Tests/run installs it"))
struct ManPageTests {
    private let place: Workplace

    init() throws { place = try Workplace() }

    private func run(_ words: [String]) async throws -> CommandResult {
        let process = try ChildProcess(
            "/usr/bin/env", words.map { Array($0.utf8) }, environment: place.environment)
        let result = try await Workplace.result(of: process)
        #expect(result.ending == .exited(0), "\(words): \(result.errors)")
        #expect(result.errors == "")
        return result
    }

    /// Makes a manual page and returns its source.
    private func make(_ options: String...) async throws -> String {
        let script = Repository.path(".packaging/manual")
        return try await run(["python3", "-B", script] + options + [FerryBinary.path(), "2026-01-01"]).output
    }

    /// Returns the page as man shows it, and the line by which apropos finds it.
    private func show(_ source: String) async throws -> (page: String, summary: String) {
        let file = try place.directory.write(Array(source.utf8), to: "page")
        return (
            try await run(["man", "--warnings", "--local-file", file]).output,
            try await run(["lexgrog", file]).output
        )
    }

    /// The exit statuses in the lines of a list, with the words that explain them. The forms of the list mark code
    /// with different signs.
    private static func statuses(
        _ matches: [Regex<(Substring, Substring, Substring)>.Match]
    ) -> [String: String] {
        let rows = matches.map { match in
            (String(match.output.1), match.output.2.matches(of: /\w+/).map { String($0.output) })
        }
        return Dictionary(rows.map { ($0, $1.joined(separator: " ")) }) { first, _ in first }
    }

    @Test func `the page for scripts, the help and the manual page list the same exit statuses`() async throws
    {
        let page = Self.statuses(
            try ManualPage.text("scripts").matches(of: /(?m)^\| ([\d, ]*\d) \| (.*) \|$/))
        #expect(page.count == 11)
        let help = try await place.ferry("--help").output.split(separator: "Exit status:").last
        let list = try #require(help?.split(separator: "USAGE:").first)
        #expect(Self.statuses(list.matches(of: /(?m)^  ([\d, ]*\d) +(.*)$/)) == page)
        let source = try await make().split(separator: ".SH EXIT STATUS\n").last
        let section = try #require(source?.split(separator: ".SH").first)
        #expect(Self.statuses(section.matches(of: /\.TP\n\\fB([\d, ]+)\\fR\n(.*)/)) == page)
    }

    @Test(.enabled(if: Privilege.has("man"), "needs man; Tests/run installs it"))
    func `man shows its page without warnings, with all words of four pages of the help`() async throws {
        let (page, summary) = try await show(try await make())
        #expect(summary.contains("\"ferry - uploads files reliably over bad links\""))
        let words = Set(page.split(whereSeparator: \.isWhitespace))
        for topic in ["keys", "environment", "files", "examples"] {
            let help = try await place.ferry("help", topic).output
            // The manual page has other headings.
            let lines = help.replacing("`", with: "").split(separator: "\n").filter { $0.uppercased() != $0 }
            let missing = Set(lines.flatMap { $0.split(separator: " ") }).subtracting(words)
            #expect(lines.count > 5 && missing == [], "\(topic)")
        }
    }

    @Test(.enabled(if: Privilege.has("man"), "needs man; Tests/run installs it"))
    func `man shows the page about the configuration without warnings`() async throws {
        let (page, summary) = try await show(try await make("--configuration"))
        #expect(summary.contains("\"ferry-config - the configuration of ferry\""))
        #expect(page.contains("\nACTIONS\n") && page.contains("\nHOOKS\n"))
    }
}
