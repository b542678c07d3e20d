import FerryTestSupport
import Foundation
import Testing

@testable import FerryCommand

/// Compares the manual's page about the lines for programs with their schema.
struct OutputPageTests {
    private let rows: [[String]]

    init() throws {
        let text = try ManualPage.text("json")
        rows = text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    /// Returns the texts in back quotes.
    private func names(_ cell: String) -> Set<String> {
        Set(cell.matches(of: /`([^`]+)`/).map { String($0.1) })
    }

    @Test func `it has a row for each kind of line, with all its members`() throws {
        let shared = try #require(rows.first { $0.first == "an upload" })
        let upload = names(shared[2])
        let others = rows.filter { $0.count == 3 && $0[0].hasPrefix("`") && $0[0] != "`event`" }
        var events: Set<String> = []
        for row in others {
            let found = names(row[0])
            events.formUnion(found)
            let line = try #require(
                OutputSchema.lines.first { !found.isDisjoint(with: $0.events.map(\.key)) }, "\(row[0])")
            let members = names(row[2]).union(row[2].contains("an upload") ? upload : [])
            #expect(members == Set(line.schema.members.map(\.name)), "\(row[0])")
            #expect(Set(line.events.map(\.key)) == found)
        }
        #expect(events == Set(OutputSchema.lines.flatMap { $0.events.map(\.key) }))
    }

    @Test func `it names the commands that print each event`() {
        for row in rows where row.count == 3 && row[0].hasPrefix("`") && row[0] != "`event`" {
            let events = names(row[0])
            let commands = OutputSchema.commands.filter { !events.isDisjoint(with: $0.value) }.map(\.key)
            let hooks = events.isDisjoint(with: OutputSchema.hooks) ? [] : ["hooks"]
            #expect(names(row[1]) == Set(commands + hooks), "\(row[0])")
        }
    }
}
