import FerryTestSupport
import Foundation
import Testing

/// All that Ferry has printed, stored or passed to other programs in a test. Secrets are looked for in it.
struct SecretSearch {
    private let place: Workplace
    /// The texts by where they were found.
    private(set) var shown: [String: String] = [:]

    init(_ place: Workplace) { self.place = place }

    /// A hook as JSON. It writes its environment, and what it gets on standard input, to the file `received`.
    var hook: String {
        #"["sh", "-c", "env >> \"$1\"; cat >> \"$1\"", "hook", "\#(place.directory.path("received"))"]"#
    }

    /// The environment and the input of all hooks.
    var received: String { shown["received"] ?? "" }

    /// Runs a command, and keeps what it prints.
    @discardableResult
    mutating func run(_ words: String...) async throws -> CommandResult { try await run(words) }

    @discardableResult
    mutating func run(_ words: [String]) async throws -> CommandResult {
        let result = try await Workplace.result(of: try place.start(words))
        add(result.output + result.errors, from: "`ferry \(words.joined(separator: " "))`")
        return result
    }

    mutating func add(_ text: String, from name: String) { shown[name] = text }

    /// Adds the contents of all files, except the configuration, the secrets and the OAuth tokens.
    mutating func addFiles() throws {
        let folder = place.directory.path
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            guard !name.hasSuffix("config.json"), !name.contains("/tokens/"), !name.hasPrefix("secrets/"),
                let data = FileManager.default.contents(atPath: "\(folder)/\(name)")
            else { continue }
            add(String(decoding: data, as: UTF8.self), from: name)
        }
    }

    /// Adds the command line of every process of this machine.
    mutating func addCommandLines() {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in processes where process.allSatisfy(\.isNumber) {
            guard let words = FileManager.default.contents(atPath: "/proc/\(process)/cmdline") else {
                continue
            }
            add(String(decoding: words, as: UTF8.self), from: "command line of \(process)")
        }
    }

    /// The user put the form parameters into the queue, so its files, its export and the history contain them.
    private static let parameters = [
        "ferry/queue.", "ferry/.tmp.", "journal.", "ferry/history", "`ferry state export`",
    ]

    /// Checks that no text has a secret of the kind, in any form.
    func expectNone(of kind: SecretKind, _ moment: String) {
        for (name, text) in shown {
            if kind.isParameter, Self.parameters.contains(where: { name.contains($0) }) { continue }
            for secret in kind.secrets {
                for form in SecretForms.all(of: secret) where text.contains(form) {
                    Issue.record("\(moment): \(name) holds \(form): \(text)")
                }
            }
        }
    }
}
