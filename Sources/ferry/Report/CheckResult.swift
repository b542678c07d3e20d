import FerryProtocols
import FerryTUI
import FerryTransfer
import FerryUploads

/// The result of `ferry check` for one destination.
struct CheckResult: Sendable {
    /// The bytes of an unfinished upload that a server still stores, and what the command does with these bytes.
    struct Leftover: Sendable {
        enum Disposition: Sendable {
            case isThere
            /// An unfinished upload of this queue possibly needs the bytes, so they are not deleted.
            case own(Upload.ID)
            /// The running engine deletes the bytes as soon as the user can no longer undo the removal of the upload.
            case deletedSoon
            case removed
            case stays(UploadFailure)
        }

        var leftover: CheckReport.Leftover
        /// The upload that stored the bytes, if it was removed from this queue; otherwise nil.
        var abandoned: AbandonedUpload?
        var disposition = Disposition.isThere

        /// The latest known date of the leftover: its creation, its last write, or its removal from the queue.
        var touched: Date? { [abandoned?.since, leftover.changed, leftover.begun].compactMap { $0 }.max() }

        /// Returns true if the command is allowed to delete the leftover. With a minimum age, a leftover without a
        /// known date stays, because it is possibly new.
        func isRemovable(notYoungerThan age: TimeSpan?, now: Date) -> Bool {
            guard case .isThere = disposition else { return false }
            guard let age else { return true }
            return touched.map { now.timeIntervalSince($0) >= age.seconds } ?? false
        }
    }

    var destination: Destination
    var failure: UploadFailure?
    var findings: [String] = []
    var known: ServerCapabilities?
    var leftovers: [Leftover] = []

    /// The catalog entry of the protocol that `auto` chose or, without such a choice, of the configured one.
    var entry: ProtocolCatalog.Entry? {
        ProtocolCatalog.entry(named: known?.choice?.name ?? destination.protocolName)
    }

    /// True if one upload can have several requests at once. In tus, only some servers have that extension. Nil if the
    /// protocol is unknown.
    var isParallel: Bool? {
        ability(\.isParallel, in: TusUpload.name) { $0.extensions.contains("concatenation") }
    }

    /// True if an interrupted upload can resume, which only some WebDAV servers support. Nil if the protocol is unknown.
    var resumes: Bool? { ability(\.resumes, in: WebDAVUpload.name) { $0.resumesWebDAV(destination.options) } }

    /// The digest algorithms that the key `checksum` of the destination can name; a tus server names its own.
    var checksums: Set<DigestAlgorithm>? { ability(\.checksums, in: TusUpload.name, \.tusChecksums) }

    /// Returns a trait of the protocol or, in the protocol `name`, what the server can do; nil if `entry` is nil.
    private func ability<Trait>(
        _ trait: KeyPath<ProtocolTraits, Trait>, in name: String, _ ofServer: (ServerCapabilities) -> Trait
    ) -> Trait? {
        guard let entry else { return nil }
        guard entry.name == name, let known else { return entry.traits[keyPath: trait] }
        return ofServer(known)
    }

    var isFine: Bool {
        failure == nil && !leftovers.contains { if case .stays = $0.disposition { true } else { false } }
    }

    /// Sets `disposition` to `own` for each leftover that an unfinished upload of the queue possibly needs.
    mutating func markOwn(_ uploads: [Upload]) {
        let unfinished = uploads.filter { !$0.isDone }
        let holders = Dictionary(
            unfinished.compactMap { upload in upload.resource.map { ($0.url, upload.id) } }
        ) { first, _ in first }
        let bound = unfinished.filter { upload in
            upload.target.destination == destination.name
                && UploadAddress.withoutQuery(upload.target.url)
                    == UploadAddress.withoutQuery(destination.url)
        }
        for index in leftovers.indices {
            let entry = leftovers[index]
            let own = holders[entry.leftover.resource.url] ?? bound.first(where: entry.mayBe(of:))?.id
            if let own { leftovers[index].disposition = .own(own) }
        }
    }
}

extension CheckResult.Leftover {
    init(_ leftover: CheckReport.Leftover) { self.leftover = leftover }

    init(_ abandoned: AbandonedUpload, now: Date) {
        leftover = CheckReport.Leftover(
            name: abandoned.upload.target.name, size: abandoned.stored,
            resource: abandoned.upload.resource ?? UploadResource(url: abandoned.url))
        take(abandoned, now: now)
    }

    /// Stores the removed upload to which the bytes belong, and whether the user can still undo the removal.
    fileprivate mutating func take(_ abandoned: AbandonedUpload, now: Date) {
        self.abandoned = abandoned
        if abandoned.since > now { disposition = .deletedSoon }
    }

    /// Returns true if the leftover possibly belongs to `upload`, by its URL or name, and to no removed upload.
    fileprivate func mayBe(of upload: Upload) -> Bool {
        guard abandoned == nil else { return false }
        let (url, name) = (leftover.resource.url, upload.target.name)
        // The name of a leftover is shortened, but its URL is not.
        return url.contains(upload.key) || leftover.name == ServerText.cleaned(name)
            || UploadAddress.withoutQuery(url).percentDecoded()?.hasSuffix("/" + name) == true
    }
}

extension CheckResult {
    init(of destination: Destination, by runner: DestinationRunner) async {
        self.init(destination: destination)
        do throws(UploadFailure) {
            let report = try await runner.check(destination).value
            findings = report.findings
            leftovers = report.leftovers.map(Leftover.init)
        } catch {
            failure = error
            failure?.hint = error.advised(for: destination.name).hint ?? Self.hint(error.category)
        }
        known = runner.known(of: destination)
        add(await runner.abandoned(at: destination), now: Date())
    }

    /// Adds the leftovers of uploads that a user removed from the queue, each to the one that the check found at its
    /// URL.
    private mutating func add(_ abandoned: [AbandonedUpload], now: Date) {
        for entry in abandoned {
            if let index = leftovers.firstIndex(where: { $0.leftover.resource.url == entry.url }) {
                leftovers[index].take(entry, now: now)
                leftovers[index].leftover.size = leftovers[index].leftover.size ?? entry.stored
            } else {
                leftovers.append(Leftover(entry, now: now))
            }
        }
    }

    private static func hint(_ category: UploadFailure.Category) -> String? {
        switch category {
        case .network, .timedOut: "check the destination's url, its proxy and whether there is a network"
        case .server: "the server is there and not ready; ask again in a while"
        case .authentication: "check the destination's auth in the configuration"
        case .permanent, .destinationChanged, .sourceChanged, .sourceUnreadable, .sourceAway, .outcomeUnknown,
            .storage, .descriptors, .addressLost, .signInPage, .signInAway, .uploadLocked:
            nil
        }
    }
}
