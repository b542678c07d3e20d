import Testing

/// Tests `ferry help TOPIC`.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct HelpTopicTests {
    @Test func `the command prints a page, lists the topics and corrects a topic`() async throws {
        let place = try Workplace()
        let page = try await place.ferry("help", "hooks")
        #expect(page.ending == .exited(0) && page.output.hasPrefix("HOOKS\n"))
        let topics = try await place.ferry("help", "topics")
        #expect(topics.ending == .exited(0) && topics.output.contains(/networks +Bad networks/))
        let wrong = try await place.ferry("help", "hoks")
        #expect(wrong.ending == .exited(2) && wrong.errors.contains("`ferry help hooks`"))
    }
}
