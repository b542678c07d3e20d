import FerryProtocols
import FerryTransfer
import FerryUploads
import Foundation

@testable import FerryTUI

extension Upload {
    static func make(
        _ id: Upload.ID, rank: Int64? = nil, name: String? = nil, size: ByteCount = 1000,
        state: State = .queued, confirmed: ByteCount? = nil, method: String = "tus",
        destination: String = "box"
    ) -> Upload {
        let name = name ?? "file-\(id).bin"
        return Upload(
            id: id, rank: rank ?? Int64(id), path: LocalPath("/out/" + name),
            identity: FileIdentity(device: 1, inode: UInt64(id), size: size, modified: 0, changed: 0),
            target: Target(
                destination: destination, url: "https://box.example/", protocolName: method, name: name),
            state: state,
            resource: confirmed.map { UploadResource(url: "https://box.example/1", confirmed: $0) },
            added: Date(timeIntervalSince1970: 0))
    }
}

extension Upload.State {
    static let running = Upload.State.running(attempt: 1, since: Date(timeIntervalSince1970: 0))
    static let done = Upload.State.done(Receipt(), at: Date(timeIntervalSince1970: 0))
    static let failed = Upload.State.failed(
        UploadFailure(.permanent, "no write access", hint: "fix the rights, then r", status: 403))
    static let changed = Upload.State.held(
        UploadFailure(.sourceChanged, "edited while queued", hint: "r sends the new version"))

    static func waiting(_ seconds: Double) -> Upload.State {
        .waiting(
            until: Date(timeIntervalSince1970: Clock.start + seconds),
            failure: UploadFailure(.server, "the server is busy", status: 503))
    }
}

extension Clock {
    /// 2024-01-01 14:00:00 UTC.
    static let start = 1_704_117_600.0

    static func at(_ seconds: Double) -> Clock {
        Clock(seconds: 1000 + seconds, date: Date(timeIntervalSince1970: start + seconds))
    }
}

extension Model {
    static func make(
        _ uploads: [Upload] = [], rows: Int = 24, columns: Int = 80, isUnicode: Bool = true,
        graph: GraphStyle = .braille, destinations: [String] = ["box"],
        status: EngineStatus = EngineStatus(), actions: ActionTable = .standard,
        ownership: EngineOwnership = .own
    ) -> Model {
        var model = Model(
            appearance: Appearance(
                glyphs: Glyphs(isUnicode: isUnicode), wantedGraph: graph, actions: actions,
                zone: .gmt),
            destinations: DestinationNames(destinations), hasMouse: true, clock: .at(0),
            ownership: ownership)
        _ = model.update(.resized(Size(rows: rows, columns: columns)))
        _ = model.update(.queue(QueueUpdate(isComplete: true, changed: uploads, removed: [], status: status)))
        return model
    }

    /// Types characters one after another, and returns the effects of the last.
    @discardableResult
    mutating func type(_ text: String) -> [Effect] {
        text.reduce([]) { _, character in update(.key(.character(character))) }
    }

    mutating func pass(to seconds: Double) -> [Effect] { update(.clock(.at(seconds))) }

    mutating func change(_ uploads: Upload..., removed: [Upload.ID] = [], status: EngineStatus? = nil)
        -> [Effect]
    {
        update(
            .queue(
                QueueUpdate(
                    isComplete: false, changed: uploads, removed: removed, status: status ?? self.status)))
    }
}

extension [Effect] {
    /// The commands among the effects.
    var commands: [QueueCommand] {
        compactMap { effect in
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
}
