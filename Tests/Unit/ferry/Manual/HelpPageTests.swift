import ArgumentParser
import Foundation
import Testing

@testable import FerryCommand

/// The help page of a command, from the argument parser's description of the program.
struct HelpPage {
    /// The command line of the command, such as `ferry state verify`.
    let name: String
    let discussion: String
    /// The long names of the options, in the order of the page. An option with several names has its first one here.
    let options: [String]
    /// The letters of the short options.
    let shortOptions: [String]

    private init(_ command: Dump.Command, below words: [String]) {
        name = (words + [command.commandName]).joined(separator: " ")
        discussion = command.discussion ?? ""
        options = (command.arguments ?? []).compactMap { argument in
            argument.names?.first { $0.kind == "long" }?.name
        }
        shortOptions = (command.arguments ?? []).flatMap { argument in
            (argument.names ?? []).filter { $0.kind == "short" }.map(\.name)
        }
    }

    /// Returns the pages of the program and of all its commands except `help`.
    static func all() throws -> [HelpPage] {
        let root = try JSONDecoder().decode(Dump.self, from: Data(Ferry._dumpHelp().utf8)).command
        return pages(of: root, below: []).filter { $0.name != "ferry help" }
    }

    private static func pages(of command: Dump.Command, below words: [String]) -> [HelpPage] {
        [HelpPage(command, below: words)]
            + (command.subcommands ?? []).flatMap { pages(of: $0, below: words + [command.commandName]) }
    }

    private struct Dump: Decodable {
        struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable {
                    var kind: String
                    var name: String
                }

                var names: [Name]?
            }

            var commandName: String
            var discussion: String?
            var arguments: [Argument]?
            var subcommands: [Command]?
        }

        var command: Command
    }
}

/// Tests all help pages.
struct HelpPageTests {
    @Test func `every help page has an example`() throws {
        let pages = try HelpPage.all()
        #expect(pages.count > 20)
        for page in pages {
            let examples = page.discussion.split(separator: "\n").filter { $0.hasPrefix("  ") }
            #expect(examples.contains { $0.contains(page.name) }, "\(page.name) has no example")
        }
    }

    @Test func `--json follows the other options of a command`() throws {
        let general = ["config", "state-dir", "accept-edited", "discard-edited", "version", "help"]
        for page in try HelpPage.all() {
            guard let index = page.options.firstIndex(of: "json") else { continue }
            #expect(page.options.dropFirst(index + 1).filter { !general.contains($0) } == [], "\(page.name)")
        }
    }
}
