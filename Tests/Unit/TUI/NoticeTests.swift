import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Tests notices about other things than the queue, such as watched folders. They arrive with the status.
@Suite struct NoticeTests {
    private static func notice(_ text: String, _ kind: Notice.Kind = .note, at seconds: Double) -> DatedNotice
    {
        DatedNotice(Notice(kind: kind, text: text), at: Date(timeIntervalSince1970: Clock.start + seconds))
    }

    private static let added = notice("added from /in: a.mov", at: -60)
    private static let away = notice("/in does not answer", .warning, at: -30)

    @Test func `each goes into the log once, with the time when it came`() {
        var model = Model.make()
        _ = model.change(status: EngineStatus(notices: [Self.added]))
        _ = model.change(status: EngineStatus(notices: [Self.added, Self.away]))
        _ = model.change(status: EngineStatus(notices: [Self.away]))
        #expect(model.log.entries.map(\.text) == ["added from /in: a.mov", "/in does not answer"])
        #expect(model.log.entries.map(\.level) == [.information, .warning])
        #expect(model.frame().text(21) == " 13:59:30 warn  /in does not answer")
    }

    @Test(arguments: [
        (["/media/card"], 80, "a folder is not there"), (["/media/card"], 120, "/media/card is not there"),
        (["/a", "/b"], 80, "2 folders are not there"), (["/media/card"], 40, "folder away"),
        ([String(repeating: "/x", count: 50)], 120, "a folder is not there"),
    ])
    func `a watched folder that is not there is in the first line`(
        folders: [String], columns: Int, text: String
    ) {
        var model = Model.make([.make(1)], rows: columns / 3, columns: columns)
        _ = model.change(status: EngineStatus(awayFolders: folders))
        #expect(model.frame().text(0).contains(" " + text), "\(model.frame().text(0))")
        _ = model.change(status: EngineStatus())
        #expect(!model.frame().text(0).contains("folder") && !model.frame().text(0).contains("not there"))
    }

    @Test func `lines print what happens, and not what happened before they were attached`() {
        var plain = PlainModel(
            destinations: DestinationNames(), readsTerminal: false, clock: .at(0),
            ownership: .attached)
        func lines(_ notices: [DatedNotice]) -> [String] {
            plain.update(
                .news(
                    .queue(
                        QueueUpdate(
                            isComplete: false, changed: [], removed: [],
                            status: EngineStatus(notices: notices))))
            ).lines
        }
        #expect(!lines([Self.added]).contains("added from /in: a.mov"))
        #expect(lines([Self.added, Self.away]) == ["/in does not answer"])
    }
}
