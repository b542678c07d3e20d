import Foundation
import Testing

@testable import FerryCommand

/// Tests the shell's completions for values from the configuration and the queue.
@Suite(.fewAtOnce, .timeLimit(.minutes(2)))
struct ShellCompletionTests {
    private let place: Workplace

    init() async throws { place = try await .withThreeUploads() }

    /// Returns the command line. Its last word is being typed.
    private func uploads(_ words: String...) -> [String] {
        let line = ["ferry"] + words.dropLast() + ["--state", place.state] + words.suffix(1)
        return ShellCompletion.uploads(for: line, at: line.count - 1)
    }

    @Test(arguments: ["--config FILE", "--config=FILE"])
    func `destinations are those of the configuration that is named before`(option: String) throws {
        let words = option.replacing("FILE", with: place.configurationFile).split(separator: " ")
        let line = ["ferry", "add"] + words.map(String.init) + ["--to", ""]
        #expect(ShellCompletion.destinations(for: line) == ["here"])
    }

    @Test func `a configuration that is wrong or missing offers nothing`() throws {
        try place.configure("{ ")
        for file in [place.configurationFile, place.path("none")] {
            #expect(ShellCompletion.destinations(for: ["ferry", "add", "--config", file, "--to", ""]) == [])
        }
    }

    @Test func `a command is offered the uploads that it would change`() async throws {
        try await place.ferry("pause", "2")
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
        let before = try contents(of: place.state)
        #expect(uploads("remove", "") == ["1", "2", "3"])
        #expect(try contents(of: place.state) == before)
        let none = place.path("none")
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
