import ArgumentParser
import FerryProtocols
import FerryTUI
import FerryUploads
import Foundation

struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take back the last pause, resume, remove, move or limit.",
        discussion: """
            Only what was ordered since the ferry that runs was started can be taken back, by whomever it was ordered; \
            up to 50 orders, one after the other.
            """)

    @OptionGroup var global: GlobalOptions
    @Flag(help: "One JSON object.") var json = false

    func run() async throws { try await report(global, .undo, "undone", json: json) }
}

struct RedoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Do again what undo took back last, unless something else was ordered since.")

    @OptionGroup var global: GlobalOptions
    @Flag(help: "One JSON object.") var json = false

    func run() async throws { try await report(global, .redo, "done again", json: json) }
}

/// Performs a command and says what it did, and to which upload if it was one.
private func report(
    _ global: GlobalOptions, _ command: QueueCommand, _ participle: String, json: Bool
) async throws(CommandFailure) {
    guard case .reversed(let change, let ids) = try await global.access().perform(command) else { return }
    if json { return print(JSONLine.text(ChangedLine(.init(change), ids))) }
    let what = ids.count == 1 ? "upload \(ids[0])" : "\(ids.count) uploads"
    print("\(participle): \(change.told(of: what, count: ids.count, in: .current))")
}
