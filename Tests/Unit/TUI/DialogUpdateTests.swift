import FerryProtocols
import FerryUploads
import Foundation
import Testing

@testable import FerryTUI

/// Tests single dialogs and their actions, without the whole screen.
struct DialogUpdateTests {
    @Test func `only the key that removes removes`() {
        let removal = RemovalDialog(targets: [3], name: "a", onServer: 1, bytes: 10, openedAt: 0)
        guard case .close(nil, let effects) = removal.update(.removeNow) else {
            Issue.record("the dialog did not close in silence")
            return
        }
        #expect(effects.commands == [.remove(.ids([3]))])
        guard case .close("nothing was removed", let none) = removal.update(.confirm) else {
            Issue.record("nothing was said")
            return
        }
        #expect(none.commands.isEmpty)
    }

    @Test func `a number out of range keeps the prompt open and says why`() {
        var prompt = PromptDialog(.concurrency, offering: "4")
        prompt.edit(.paste("1001", isComplete: true))
        guard case .stay = prompt.update(.confirm) else {
            Issue.record("the prompt closed")
            return
        }
        #expect(prompt.issue == "not a number from 1 to 1000")
        prompt.edit(.backspace)
        #expect(prompt.issue == nil)
    }

    @Test func `an entry of the log leads to its upload, and one without an upload shows its text`() {
        var log = LogModel()
        log.add(.information, "no upload", date: .distantPast)
        var dialog = LogDialog()
        _ = dialog.update(.confirm, log: log, size: Size(rows: 24, columns: 80))
        #expect(dialog.showsWholeEntry)
        _ = dialog.update(.confirm, log: log, size: Size(rows: 24, columns: 80))
        #expect(!dialog.showsWholeEntry)
        log.add(.error, "an upload", date: .distantPast, upload: 7)
        guard case .show(7) = dialog.update(.confirm, log: log, size: Size(rows: 24, columns: 80)) else {
            Issue.record("it did not lead to the upload")
            return
        }
    }

    @Test func `more than a terminal takes is not copied`() {
        var table = UploadTable()
        let uploads = (1...2000).map { Upload.make($0, name: String(repeating: "x", count: 30)) }
        table.apply(
            QueueUpdate(isComplete: true, changed: uploads, removed: [], status: EngineStatus()))
        let copy = CopyDialog(targets: uploads.map(\.id), name: nil)
        guard case .close(let text?, let effects) = copy.update(.copyPath, table: table) else {
            Issue.record("nothing was said")
            return
        }
        #expect(text.hasPrefix("too much for a clipboard"))
        #expect(effects.isEmpty)
    }
}
