import Testing

@testable import FerryTUI

/// Tests the help's search with the terms of other programs.
struct HelpSearchTests {
    private static let words: [(String, Action)] = [
        ("resume", .pause), ("continue", .pause), ("unpause", .pause), ("hold", .pause), ("cancel", .remove),
        ("delete", .remove), ("kill", .remove), ("abort", .remove), ("discard", .remove), ("rm", .remove),
        ("stop", .pause), ("again", .retry), ("restart", .retry), ("resend", .retry), ("rerun", .retry),
        ("finished", .clearDone), ("purge", .clearDone), ("revert", .undo), ("restore", .undo),
        ("redo", .redo), ("exit", .quit), ("close", .quit), ("background", .detach), ("detach", .detach),
        ("daemon", .detach), ("disconnect", .detach), ("upload", .add), ("new", .add), ("push", .add),
        ("search", .filter), ("find", .filter), ("grep", .filter), ("sort", .order), ("column", .order),
        ("speed", .limitBandwidth), ("rate", .limitBandwidth), ("throttle", .limitBandwidth),
        ("bwlimit", .limitBandwidth), ("transfers", .limitConcurrency), ("jobs", .limitConcurrency),
        ("parallel", .limitConcurrency), ("reconnect", .tryNow), ("online", .tryNow), ("details", .details),
        ("info", .details), ("inspect", .details), ("describe", .details), ("log", .openLog),
        ("history", .openLog), ("yank", .copy), ("clipboard", .copy), ("select", .mark),
        ("priority", .moveUp), ("shortcuts", .help), ("refresh", .redraw), ("chart", .changeGraph),
        ("errors", .retryAll), ("scroll", .up), ("order", .order), ("arrange", .order),
        ("bottom", .moveToBottom), ("bg", .detach), ("progress", .details), ("status", .details),
        ("config", .limitBandwidth),
    ]

    private func found(_ text: String) -> [Action] {
        var dialog = HelpDialog()
        dialog.edit(.paste(text, isComplete: true))
        return dialog.entries(of: .standard).map(\.action)
    }

    @Test(arguments: words) func `a word of other programs finds its row`(
        word: String, action: Action
    ) {
        #expect(found(word).prefix(3).contains(action))
    }

    @Test func `a row's own word comes before the synonyms of others`() {
        #expect(found("undo").first == .undo)
        #expect(found("remove").first == .remove)
    }

    @Test func `a slash before the word, as in other programs, is no part of it`() {
        #expect(found("/detach") == found("detach"))
        #expect(found("/").contains(.filter))
    }

    @Test func `without a word every row is there, in its order`() {
        #expect(found("") == ActionTable.standard.entries(in: .list).map(\.action))
    }

    @Test func `a word that no row has finds nothing`() {
        #expect(found("zebra").isEmpty)
    }
}
