import FerryProtocols
import FerryUploads
import Testing

@testable import FerryTUI

/// Tests the notifications that a terminal shows to a user who works elsewhere.
struct TerminalNotificationTests {
    private static let usual: Set<QueueEvent.Name> = [.idle, .failed, .held]

    private func model(_ uploads: [Upload], _ notification: TerminalNotification) -> Model {
        var model = Model.make()
        model.notification = notification
        _ = model.update(
            .queue(QueueUpdate(isComplete: true, changed: uploads, removed: [], status: EngineStatus())))
        return model
    }

    private func calls(_ model: inout Model, _ uploads: [Upload]) -> [String] {
        let update = QueueUpdate(isComplete: false, changed: uploads, removed: [], status: EngineStatus())
        return model.update(.queue(update)).compactMap { effect in
            if case .notify(let signal, let text) = effect { "\(signal) \(text)" } else { nil }
        }
    }

    private func ended(_ id: Upload.ID, _ state: Upload.State, name: String? = nil) -> Upload {
        var upload = Upload.make(id, name: name, state: state)
        upload.tries.attempts = 1
        return upload
    }

    @Test func `no notification is sent unless it is configured`() {
        var model = model([.make(1)], TerminalNotification())
        #expect(calls(&model, [ended(1, .done)]) == [])
    }

    @Test func `finished uploads are announced in one line`() {
        var model = model([.make(1), .make(2), .make(3)], TerminalNotification(.osc9, for: Self.usual))
        #expect(calls(&model, [ended(1, .done)]) == [])
        #expect(calls(&model, [ended(2, .done), ended(3, .failed)]) == ["osc9 Ferry: 2 done, 1 failed"])
    }

    @Test func `failures call once in ten seconds`() {
        var model = model((1...9).map { .make($0) }, TerminalNotification(.bell, for: Self.usual))
        #expect(calls(&model, [ended(1, .failed)]) == ["bell Ferry: file-1.bin failed: no write access"])
        #expect(calls(&model, [ended(2, .failed)]) == [])
        _ = model.update(.clock(.at(10)))
        #expect(calls(&model, [ended(3, .failed), ended(4, .failed)]) == ["bell Ferry: 2 uploads failed"])
    }

    @Test func `a notification has 200 characters at most`() {
        var model = model([.make(1), .make(2)], TerminalNotification(.osc9, for: Self.usual))
        let texts = calls(&model, [ended(1, .failed, name: String(repeating: "n", count: 300))])
        #expect(texts == ["osc9 Ferry: " + String(repeating: "n", count: 200)])
    }

    @Test func `only what was asked for calls`() {
        var model = model([.make(1), .make(2)], TerminalNotification(.bell, for: [.done]))
        #expect(calls(&model, [ended(1, .failed)]) == [])
        #expect(calls(&model, [ended(2, .done)]) == ["bell Ferry: file-2.bin done"])
    }

    @Test func `a name cannot end what is sent to the terminal`() {
        var model = model([.make(1), .make(2)], TerminalNotification(.osc9, for: Self.usual))
        let sent = calls(&model, [ended(1, .failed, name: "a\u{7}\u{1B}\\\u{9C}b\nc")])
        #expect(sent == [#"osc9 Ferry: a\u{7}\e\\\u{9C}b\nc failed: no write access"#])
    }
}
