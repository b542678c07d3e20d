import FerryUploads

@testable import FerryTUI

extension PlainModel {
    /// Makes a model of the line mode that has received the whole queue.
    static func make(
        _ uploads: [Upload] = [], destinations: [String] = ["box"], defaultDestination: String? = nil,
        readsTerminal: Bool = true, status: EngineStatus = EngineStatus(), ownership: EngineOwnership = .own
    ) -> PlainModel {
        var plain = PlainModel(
            destinations: DestinationNames(destinations, preferred: defaultDestination),
            readsTerminal: readsTerminal,
            clock: .at(0), ownership: ownership)
        _ = plain.update(
            .news(.queue(QueueUpdate(isComplete: true, changed: uploads, removed: [], status: status))))
        return plain
    }

    mutating func type(_ line: String) -> [PlainEffect] { update(.typed(.text(line))) }

    mutating func pass(to seconds: Double) -> [PlainEffect] { update(.clock(.at(seconds))) }

    mutating func change(_ uploads: [Upload], removed: [Upload.ID] = [], status: EngineStatus? = nil)
        -> [PlainEffect]
    {
        update(
            .news(
                .queue(
                    QueueUpdate(
                        isComplete: false, changed: uploads, removed: removed, status: status ?? model.status)
                )))
    }

    mutating func reply(_ reply: QueueReply) -> [PlainEffect] {
        update(.news(.replied(reply, to: .resume)))
    }
}

extension [PlainEffect] {
    var lines: [String] {
        compactMap { effect in
            if case .print(let line) = effect { return line }
            return nil
        }
    }

    var sent: [Effect] {
        compactMap { effect in
            if case .send(let effect) = effect { return effect }
            return nil
        }
    }

    var commands: [QueueCommand] {
        sent.compactMap { effect in
            if case .perform(let command, _) = effect { return command }
            return nil
        }
    }

    var outcome: ScreenOutcome? {
        compactMap { effect in
            if case .finish(let outcome) = effect { return outcome }
            return nil
        }.first
    }

    var waitsUntilIdle: Bool {
        contains { effect in
            if case .waitUntilIdle = effect { return true }
            return false
        }
    }
}

extension UploadEvent {
    static func make(_ kind: Kind, _ id: Upload.ID, state: Upload.State = .done) -> UploadEvent {
        UploadEvent(kind, .make(id, state: state), reached: 0, date: Clock.at(0).date)
    }
}
