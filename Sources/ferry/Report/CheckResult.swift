import Foundation
import UploadProtocols
import Uploads

/// What came of asking one destination.
struct CheckResult: Sendable {
    /// An unfinished upload at the server, and what became of it.
    struct Leftover: Sendable {
        enum Fate: Sendable {
            case isThere
            /// It belongs to an upload of this queue.
            case own(Upload.ID)
            case removed
            case stays(UploadFailure)
        }

        var leftover: CheckReport.Leftover
        var fate = Fate.isThere

        /// What has no date may be of today.
        func isRemovable(notYoungerThan age: Age?, now: Date) -> Bool {
            guard case .isThere = fate else { return false }
            guard let age else { return true }
            return leftover.begun.map { now.timeIntervalSince($0) >= age.seconds } ?? false
        }
    }

    var destination: Destination
    var failure: UploadFailure?
    var findings: [String] = []
    /// What is known now, or was before if it could not be asked.
    var known: ServerCapabilities?
    var leftovers: [Leftover] = []

    /// Of the protocol that would be used; nil if none is known.
    var entry: ProtocolCatalog.Entry? {
        ProtocolCatalog.entry(named: known?.choice?.name ?? destination.protocolName)
    }

    var isFine: Bool {
        failure == nil
            && !leftovers.contains { if case .stays = $0.fate { true } else { false } }
    }

    /// Takes for the queue's own what may be: the same resource, or the name of an upload that is not done.
    mutating func markOwn(_ uploads: [Upload]) {
        let unfinished = uploads.filter { upload in
            if case .done = upload.state { return false }
            return upload.target.destination == destination.name
                && UploadAddress.withoutQuery(upload.target.url)
                    == UploadAddress.withoutQuery(destination.url)
        }
        for index in leftovers.indices {
            let leftover = leftovers[index].leftover
            let own = unfinished.first { upload in
                upload.resource?.url == leftover.resource.url || leftover.name == upload.target.name
                    || leftover.name.hasSuffix("/" + upload.target.name)
            }
            if let own { leftovers[index].fate = .own(own.id) }
        }
    }
}

extension CheckResult {
    /// Asks.
    init(of destination: Destination, by runner: DestinationRunner) async {
        self.init(destination: destination)
        do throws(UploadFailure) {
            let report = try await runner.check(destination)
            findings = report.findings
            leftovers = report.leftovers.map { Leftover(leftover: $0) }
        } catch {
            failure = error
            failure?.hint = error.hint ?? Self.hint(error.category)
        }
        known = runner.known(of: destination)
    }

    /// What an upload would only wait for, a person who asks can look into.
    private static func hint(_ category: UploadFailure.Category) -> String? {
        switch category {
        case .network, .timedOut: "check the destination's url, its proxy and whether there is a network"
        case .server: "the server is there and not ready; ask again in a while"
        case .authentication: "check the destination's auth in the configuration"
        case .permanent, .sourceChanged, .sourceUnreadable, .sourceAway, .outcomeUnknown, .storage,
            .descriptors, .addressLost, .signInPage, .signInAway:
            nil
        }
    }
}
