import Testing
import Uploads

@testable import ferry

/// Why an order left uploads as they were.
struct UnchangedNotesTests {
    private static func planned(_ id: Upload.ID) -> Upload {
        var upload = Upload.make(id)
        upload.start = .init(after: [1...1])
        return upload
    }

    @Test(
        arguments: [
            (.retried, .make(5, .paused(.user)), "5 is paused: `ferry resume 5` lets it go on"),
            (.retried, .make(5), "5 is queued"), (.retried, .make(5, .running), "5 is running"),
            (.retried, .make(5, .done), "5 is done"),
            (.retried, planned(5), "5 waits for its start: `ferry retry 5` starts it now"),
            (.paused, .make(5, .paused(.user)), "5 is paused"), (.paused, .make(5, .done), "5 is done"),
            (.paused, .make(5, .failed), "5 has failed"),
            (.resumed, .make(5), "5 is queued"),
            (.resumed, .make(5, .waiting), "5 waits for its next try: `ferry retry 5` tries now"),
            (.resumed, .make(5, .paused(.offline)), "5 waits for the network: `ferry retry 5` tries now"),
            (.resumed, .make(5, .held), "5 is held: `ferry retry 5` tries it again"),
            (.moved, .make(5), "5 is there already"),
        ] as [(ChangedLine.Change, Upload, String)])
    func `the state is told, and what does what was meant`(
        change: ChangedLine.Change, upload: Upload, expected: String
    ) {
        #expect(UnchangedNotes(change, [upload]).sentences == [expected])
    }

    @Test func `those in one state share a sentence`() {
        let uploads = [7, 2, 8, 9].map { Upload.make($0, .paused(.user)) } + [.make(3, .done)]
        #expect(
            UnchangedNotes(.retried, uploads).sentences == [
                "2, 7 to 9 are paused: `ferry resume 2,7-9` lets them go on", "3 is done",
            ])
    }

    @Test func `many numbers are counted`() {
        let uploads = (1...10).map { Upload.make($0 * 2, .paused(.user)) }
        #expect(
            UnchangedNotes(.retried, uploads).sentences == [
                "10 uploads are paused: `ferry resume` lets them go on"
            ])
    }

    @Test(
        arguments: [
            (.ids([1, 2]), [1], [2]), (.ids([1, 2]), [], [1, 2]), (.ids([1, 2]), [2, 1], []),
            (.numbers(UploadNumbers([2...9])), [], [2, 3]), (.numbers(UploadNumbers([2...9])), [3], []),
            (.all, [], [1, 2]), (.all, [1], []), (.batch("may"), [], [2]), (.batch("may"), [2], []),
        ] as [(UploadSelection, [Upload.ID], [Upload.ID])])
    func `who names uploads hears of each that stays, who names many if all stay`(
        selection: UploadSelection, changed: [Upload.ID], expected: [Upload.ID]
    ) {
        var second = Upload.make(2)
        second.batch = "may"
        let unchanged = selection.unchanged(among: [.make(1), second, .make(3, .done)], but: changed)
        #expect(unchanged.map(\.id) == expected)
        #expect(selection.mayHaveUnchanged(changed) == !expected.isEmpty)
    }
}
