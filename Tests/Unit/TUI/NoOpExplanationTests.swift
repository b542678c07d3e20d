import FerryUploads
import Testing

@testable import FerryTUI

/// Tests the explanations why a command changed nothing.
struct NoOpExplanationTests {
    private static func planned(_ id: Upload.ID) -> Upload {
        var upload = Upload.make(id)
        upload.start = .init(after: [1...1])
        return upload
    }

    private static func sentences(_ command: NoOpExplanation.Command, _ uploads: [Upload]) -> [String] {
        NoOpExplanation(command, uploads) { "`ferry \($0)`" }.sentences
    }

    @Test(
        arguments: [
            (.retry, .make(5, state: .paused(.user)), "5 is paused: `ferry resume 5` resumes it"),
            (.retry, .make(5), "5 is queued"), (.retry, .make(5, state: .running), "5 is running"),
            (.retry, .make(5, state: .done), "5 is done"),
            (.retry, planned(5), "5 waits for its start: `ferry retry 5` starts it now"),
            (.pause, .make(5, state: .paused(.user)), "5 is paused"),
            (.pause, .make(5, state: .done), "5 is done"),
            (.pause, .make(5, state: .failed), "5 has failed"),
            (.resume, .make(5), "5 is queued"),
            (.resume, .make(5, state: .waiting(5)), "5 waits for its next try: `ferry retry 5` tries now"),
            (
                .resume, .make(5, state: .paused(.offline)),
                "5 waits for the network: `ferry retry 5` tries now"
            ),
            (.resume, .make(5, state: .changed), "5 is held: `ferry retry 5` tries it again"),
            (.move, .make(5), "5 is there already"),
        ] as [(NoOpExplanation.Command, Upload, String)])
    func `a command without effect names the state, and the command that does what was meant`(
        command: NoOpExplanation.Command, upload: Upload, expected: String
    ) {
        #expect(Self.sentences(command, [upload]) == [expected])
    }

    @Test func `uploads in one state share a sentence`() {
        let uploads = [7, 2, 8, 9].map { Upload.make($0, state: .paused(.user)) } + [.make(3, state: .done)]
        #expect(
            Self.sentences(.retry, uploads) == [
                "2, 7 to 9 are paused: `ferry resume 2,7-9` resumes them", "3 is done",
            ])
    }

    @Test func `many numbers are counted`() {
        let uploads = (1...10).map { Upload.make($0 * 2, state: .paused(.user)) }
        #expect(
            Self.sentences(.retry, uploads) == [
                "10 uploads are paused: `ferry resume` resumes them"
            ])
    }

    @Test(
        arguments: [
            (.ids([1, 2]), [1], [2]), (.ids([1, 2]), [], [1, 2]), (.ids([1, 2]), [2, 1], []),
            (.numbers(UploadNumbers([2...9])), [], [2, 3]), (.numbers(UploadNumbers([2...9])), [3], []),
            (.all, [], [1, 2]), (.all, [1], []), (.batch("may"), [], [2]), (.batch("may"), [2], []),
        ] as [(UploadSelection, [Upload.ID], [Upload.ID])])
    func `a selection by id reports each unchanged upload, and a wide one only if nothing changed`(
        selection: UploadSelection, changed: [Upload.ID], expected: [Upload.ID]
    ) {
        var second = Upload.make(2)
        second.batch = "may"
        let unchanged = selection.unchanged(among: [.make(1), second, .make(3, state: .done)], but: changed)
        #expect(unchanged.map(\.id) == expected)
        #expect(selection.mayHaveUnchanged(changed) == !expected.isEmpty)
    }
}
