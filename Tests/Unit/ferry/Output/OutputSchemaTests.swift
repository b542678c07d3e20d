import FerryProtocols
import FerryTestSupport
import FerryUploads
import Foundation
import Testing

@testable import FerryCommand

/// Compares the schema with the types that make the lines for programs.
struct OutputSchemaTests {
    /// The members in the samples, by kind of line.
    private static let samples = Dictionary(
        grouping: OutputSamples.lines.map { (type(of: $0).name, members(of: $0)) }, by: \.0
    ).mapValues { $0.map(\.1) }

    private static func members(of line: some OutputLine) -> Set<String> {
        let object = try? JSONSerialization.jsonObject(with: Data(line.json.utf8)) as? [String: Any]
        return Set((object ?? [:]).keys)
    }

    @Test func `lines are printed as ever`() {
        #expect(OutputSamples.lines.map(\.json).joined(separator: "\n") == OutputSamples.text)
    }

    @Test func `there is a sample of each kind of line`() {
        #expect(Set(Self.samples.keys) == Set(OutputSchema.lines.map { $0.name }))
        let events = OutputSchema.lines.flatMap { $0.events.map(\.key) }
        #expect(Set(events).count == events.count)
    }

    @Test(arguments: OutputSchema.lines.indices)
    func `the samples of a line have all members of its schema`(index: Int) throws {
        let line = OutputSchema.lines[index]
        let samples = try #require(Self.samples[line.name])
        // An ended upload has no rate.
        let missing: Set<String> = line is FinishedLine.Type ? ["rate", "eta"] : []
        let names = Set(line.lineSchema.members.map(\.name))
        #expect(samples.reduce(into: missing) { $0.formUnion($1) } == names)
    }

    @Test(arguments: OutputSamples.lines.indices)
    func `a line fits its schema`(index: Int) throws {
        let line = OutputSamples.lines[index]
        let value = try JSONSerialization.jsonObject(with: Data(line.json.utf8))
        #expect(type(of: line).lineSchema.issue(in: value) == nil, "\(line.json)")
    }

    @Test func `every event is printed by a command or read by a hook, and has a schema`() {
        let used = Set(OutputSchema.commands.values.joined()).union(OutputSchema.hooks)
        let events = OutputSchema.lines.flatMap { $0.events.map(\.key) }
        #expect(used == Set(events))
    }

    @Test func `states are those that uploads have`() {
        let states: [Upload.State] = [
            .queued, .running, .waiting, .paused(.user), .held, .done, .failed,
        ]
        #expect(states.map(\.kind) == UploadRecordLine.states)
    }

    @Test func `every command that takes --json says what it prints`() throws {
        let pages = try HelpPage.all().filter { $0.options.contains("json") }
        let found = pages.map { String($0.name.dropFirst("ferry ".count)) }
        #expect(Set(found) == Set(OutputSchema.commands.keys))
    }
}
