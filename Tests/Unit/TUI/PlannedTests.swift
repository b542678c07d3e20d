import FerryTransfer
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Tests how the screen and the lines show batches and uploads that start later.
@Suite struct PlannedTests {
    private static func planned(
        _ id: Upload.ID = 1, at seconds: Double? = nil, after: [ClosedRange<Upload.ID>] = [],
        batch: String? = nil
    ) -> Upload {
        var upload = Upload.make(id)
        let date = seconds.map { Date(timeIntervalSince1970: Clock.start + $0) }
        upload.start = Upload.StartCondition(notBefore: date, after: after)
        upload.batch = batch
        return upload
    }

    // The clock of the model shows 14:00.
    @Test(arguments: [
        (planned(at: 8 * 3600), "at 22:00"), (planned(9, after: [4...4]), "after 4"),
        (planned(at: 16 * 3600), "at 06:00"), (planned(at: 9 * 86_400), "starts at 2024-01-10 14:00"),
        (planned(30, after: [4...6, 12...12]), "starts after 4 to 6, 12"),
        (planned(30, after: [1...1, 3...3, 5...5, 7...7]), "starts after 1, 3, 5, …"),
        (planned(9, at: 8 * 3600, after: [4...4]), "starts after 4, not before 22:00"),
    ])
    func `a row says when its upload starts`(upload: Upload, expected: String) {
        #expect(Model.make([upload], columns: 120).frame().description.contains(expected))
    }

    @Test(arguments: [
        (planned(at: 8 * 3600), "22:00"), (planned(9, after: [4...4]), "after 4"),
        (planned(9, after: [400...400]), "later"), (planned(at: 9 * 86_400), "later"),
        (.make(1, state: .waiting(100 * 3600)), "later"), (.make(1, state: .waiting(40)), "40 s"),
    ])
    func `a small screen says it at the right`(upload: Upload, expected: String) {
        #expect(Model.make([upload], rows: 10, columns: 40).frame().text(1).hasSuffix(" " + expected))
    }

    @Test(arguments: [120, 160, 200])
    func `a wide list has a column of batches where there are some`(columns: Int) {
        let frame = Model.make([Self.planned(batch: "night shift in May"), .make(2)], columns: columns)
            .frame()
        #expect(frame.text(2).contains(" BATCH "))
        #expect(frame.text(3).contains(" night shift…"))
        #expect(frame.text(3).contains(" box"))
        #expect(!Model.make([.make(2)], columns: columns).frame().text(2).contains("BATCH"))
    }

    @Test func `the last of a batch takes the column away`() {
        var model = Model.make([Self.planned(batch: "may"), .make(2)], columns: 120)
        _ = model.change(removed: [1])
        #expect(!model.frame().text(2).contains("BATCH"))
    }

    @Test func `a paused upload does not show its start time`() {
        var upload = Self.planned(at: 8 * 3600)
        upload.state = .paused(.user)
        #expect(!Model.make([upload]).frame().description.contains("22:00"))
    }

    @Test func `the first line separates what waits for a time from what is left`() {
        var model = Model.make([Self.planned(at: 8 * 3600)])
        #expect(model.frame().text(0).contains("idle  1 KiB later"))
        _ = model.change(.make(2, size: 5 << 10))
        #expect(model.frame().text(0).contains("5 KiB left  1 KiB later"))
        #expect(model.summary.contains("5 KiB left, 1 KiB later"))
    }

    @Test func `the details show the batch and the start`() {
        var model = Model.make([Self.planned(at: 8 * 3600, batch: "night shift")])
        model.type("i")
        let text = model.frame().description
        #expect(text.contains("state     queued; starts at 22:00"), "\(text)")
        #expect(text.contains("batch     night shift"), "\(text)")
    }

    @Test func `a line says when its upload starts`() {
        let upload = Self.planned(9, after: [4...4])
        #expect(PlainText.line(upload, in: .make([upload])) == "9: file-9.bin, 1 KiB, starts after 4")
    }

    @Test func `r starts at once what is to start later`() {
        var model = Model.make([Self.planned(at: 8 * 3600)])
        #expect(model.type("r").commands == [.retry(.ids([1]))])
        var plain = Model.make([.make(1)])
        #expect(plain.type("r").commands.isEmpty)
    }

    @Test(arguments: ["", "  "]) func `retry is offered for uploads that start later, marked or not`(
        keys: String
    ) {
        var model = Model.make([Self.planned(1, at: 60), Self.planned(2, after: [3...3]), .make(3)])
        model.type("g" + keys)
        #expect(model.list.marks.count == keys.count)
        #expect(model.frame().text(23).hasPrefix(" ? help  r retry  a add"))
    }

    @Test(
        arguments: [
            ("batch:night", [1, 2]), ("batch:NIGHT", [1, 2]), ("batch:\"night shift\"", [1]),
            ("!batch:night", [3, 4]), ("batch:", [1, 2, 3, 4]), ("batch:may", []),
        ] as [(String, [Upload.ID])])
    func `the list is narrowed to a batch`(text: String, shown: [Upload.ID]) {
        let uploads = [
            Self.planned(1, batch: "night shift"), Self.planned(2, batch: "Night"),
            Self.planned(3, batch: "day"), .make(4),
        ]
        let filter = RowFilter(text)
        #expect(filter.problem == nil)
        #expect(uploads.filter(filter.fits).map(\.id) == shown)
    }
}
