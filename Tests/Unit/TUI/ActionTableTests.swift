import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

@Suite struct ActionTableTests {
    @Test(arguments: Context.allCases)
    func `no key is bound twice in one context`(context: Context) {
        let keys = ActionTable.standard.entries(in: context).flatMap(\.keys)
        #expect(Set(keys).count == keys.count)
        #expect(!keys.isEmpty)
    }

    @Test func `every key of the table leads to its action`() {
        for entry in ActionTable.standard.entries {
            for key in entry.keys {
                #expect(ActionTable.standard.action(for: key, in: entry.context) == entry.action)
            }
        }
    }

    @Test func `backspace does nothing in the list`() {
        #expect(ActionTable.standard.action(for: .backspace, in: .list) == nil)
    }

    @Test func `the key that opens a question is not the one that confirms it`() {
        let opening = Set(ActionTable.standard.entry(for: .remove, in: .list)?.keys ?? [])
        let confirming = Set(ActionTable.standard.entry(for: .removeNow, in: .removal)?.keys ?? [])
        #expect(!opening.isEmpty && !confirming.isEmpty)
        #expect(opening.isDisjoint(with: confirming))
    }

    @Test(arguments: [Context.add, .prompt, .help])
    func `no character is an action where text is typed`(context: Context) {
        for key in ActionTable.standard.entries(in: context).flatMap(\.keys) {
            if case .character = key { Issue.record("\(key.label) is bound in \(context)") }
        }
    }

    @Test func `the help shows every action of the list with all its keys`() {
        var model = Model.make(rows: 60, columns: 100)
        _ = model.update(.key(.character("?")))
        let text = model.frame().description
        for entry in ActionTable.standard.entries(in: .list) {
            #expect(text.contains(entry.help), "\(entry.help)")
            #expect(text.contains(entry.keyLabels), "\(entry.keyLabels)")
        }
    }

    /// Returns the rows of the tables in the manual's page about keys.
    private static func manualRows() throws -> [(keys: Set<String>, action: String)] {
        let page = try String(contentsOfFile: Repository.path("Sources/Manual/keys.md"), encoding: .utf8)
        return page.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let keys = cells[0].matches(of: /`([^`]+)`/).map { String($0.output.1) }
            return (keys: Set(keys), action: cells[1])
        }
    }

    @Test(arguments: [Context.list, .browse])
    func `the manual has every action of the table with its keys`(context: Context) throws {
        let rows = try Self.manualRows()
        for entry in ActionTable.standard.entries(in: context) {
            let labels = entry.keys.map(\.label)
            let isThere = rows.contains { $0.keys.isSuperset(of: labels) && $0.action.contains(entry.help) }
            #expect(isThere, "\(entry.name), \(entry.keyLabels): \(entry.help)")
        }
    }

    @Test func `every hint on the screen is a key and its word from the table`() {
        let uploads = (1...50).map { Upload.make($0, state: .waiting(5)) }
        let hints = Model.make(uploads, rows: 40, columns: 200).frame().text(39)
        for entry in ActionTable.standard.entries(in: .list) where entry.hint != nil {
            #expect(hints.contains("\(entry.keys[0].label) \(entry.hint ?? "")"))
        }
    }

    @Test(arguments: [(24, 80), (40, 120), (10, 40), (6, 36)])
    func `PgDn in the help shows what follows, and PgUp what was there`(rows: Int, columns: Int) {
        var model = Model.make(rows: rows, columns: columns)
        model.type("?")
        let first = model.frame().description
        let entries = HelpDialog().entries(of: .standard).count
        let page = HelpView.pageHeight(model.size, entries: entries)
        _ = model.update(.key(.pageDown))
        guard case .help(let help) = model.dialog else { return }
        #expect(help.selected == min(page, entries - 1))
        #expect(page >= entries || model.frame().description != first)
        _ = model.update(.key(.pageUp))
        #expect(model.frame().description == first || page >= entries)
    }

    @Test func `help narrowed by typing runs what is selected`() {
        var model = Model.make([.make(1, state: .failed)])
        model.type("?failed again")
        let effects = model.update(.key(.enter))
        #expect(effects.commands == [.retry(.failed)])
        #expect(model.context == .list)
    }
}
