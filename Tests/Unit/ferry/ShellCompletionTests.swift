import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Tests the shell's completions for values from the configuration and the queue.
struct ShellCompletionTests {
    private let directory: TemporaryDirectory
    private let state: String

    /// Writes a queue with three uploads, of which the second is paused.
    init() async throws {
        directory = try TemporaryDirectory()
        state = directory.path("state")
        let journal = FileJournal(try StateDirectory(at: LocalPath(state)).lock())
        _ = try journal.load()
        let uploads: [Upload] = [.boxed(1), .boxed(2, .paused(.user)), .boxed(3)]
        try await journal.append(uploads.map { .set($0) }, durably: true)
        try await journal.close()
    }

    /// Writes a configuration and returns its path.
    private func configuration(_ text: String) throws -> String {
        let file = try directory.write(Array(text.utf8), to: "config.json")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        return file
    }

    /// Returns the command line. Its last word is being typed.
    private func uploads(_ words: String...) -> [String] {
        let line = ["ferry"] + words.dropLast() + ["--state", state] + words.suffix(1)
        return ShellCompletion.uploads(for: line, at: line.count - 1)
    }

    @Test(arguments: ["--config FILE", "--config=FILE"])
    func `destinations are those of the configuration that is named before`(option: String) throws {
        let file = try configuration(#"{ "destinations": { "here": { "url": "http://127.0.0.1:9/box/" } } }"#)
        let words = option.replacing("FILE", with: file).split(separator: " ")
        let line = ["ferry", "add"] + words.map(String.init) + ["--to", ""]
        #expect(ShellCompletion.destinations(for: line) == ["here"])
    }

    @Test func `a configuration that is wrong or missing offers nothing`() throws {
        for file in [try configuration("{ "), directory.path("none")] {
            #expect(ShellCompletion.destinations(for: ["ferry", "add", "--config", file, "--to", ""]) == [])
        }
    }

    @Test func `a command is offered the uploads that it would change`() {
        #expect(uploads("pause", "") == ["1", "3"])
        #expect(uploads("resume", "") == ["2"])
        #expect(uploads("retry", "") == [])
        #expect(uploads("remove", "") == ["1", "2", "3"])
        #expect(uploads("move", "") == ["1", "2", "3", "up", "down", "top", "bottom"])
    }

    @Test func `a number that was given is not offered again, one that is being typed is`() {
        #expect(uploads("remove", "1", "3", "") == ["2"])
        #expect(uploads("remove", "2", "1") == ["1", "3"])
    }

    @Test func `nothing is written, and where there is no queue none is made`() throws {
        let before = try contents(of: state)
        #expect(uploads("remove", "") == ["1", "2", "3"])
        #expect(try contents(of: state) == before)
        let none = directory.path("none")
        #expect(ShellCompletion.uploads(for: ["ferry", "remove", "--state", none, ""], at: 4) == [])
        #expect(!FileManager.default.fileExists(atPath: none))
    }

    /// Returns the bytes and the modification time of each file.
    private func contents(of folder: String) throws -> [String: [String]] {
        var files: [String: [String]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let path = "\(folder)/\(name)"
            let changed = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            files[name] = ["\(changed?.timeIntervalSince1970 ?? 0)", bytes.base64EncodedString()]
        }
        return files
    }
}
