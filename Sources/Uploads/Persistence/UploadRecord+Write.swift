import FerryProtocols

extension JSONWriter {
    /// Appends the record of one upload, without a line break. Most optional members with their default are left out.
    mutating func upload(_ upload: Upload, unknown: UnknownFields?) {
        member("{\"id\":", upload.id)
        member(",\"rank\":", upload.rank)
        raw(",\"path\":")
        file(upload.path, upload.identity, upload.target, unknown: unknown)
        raw(",\"state\":")
        state(upload.state, unknown: unknown?.state)
        member(",\"resource\":", upload.resource) { $0.resource($1, unknown: unknown?.resource) }
        if upload.tries != Upload.Tries() || unknown?.tries.isEmpty == false {
            raw(",\"tries\":")
            tries(upload.tries, unknown: unknown?.tries)
        }
        member(",\"added\":", upload.added)
        plan(upload.batch, upload.start)
        close(unknown?.upload)
    }

    /// Appends the record of a new upload, without the id, rank and state that the queue assigns.
    mutating func newUpload(_ upload: NewUpload) {
        raw("{\"path\":")
        file(upload.path, upload.identity, upload.target, unknown: nil)
        plan(upload.batch, upload.start)
        raw("}")
    }

    private mutating func file(
        _ path: LocalPath, _ identity: FileIdentity, _ target: Upload.Target, unknown: UnknownFields?
    ) {
        self.path(path)
        raw(",\"file\":")
        self.identity(identity, unknown: unknown?.file)
        raw(",\"to\":")
        self.target(target, unknown: unknown?.target)
    }

    private mutating func plan(_ batch: String?, _ start: Upload.StartCondition?) {
        member(",\"batch\":", batch)
        guard let start else { return }
        member(",\"startsAt\":", start.notBefore)
        list(",\"after\":", start.after) { $0.pair($1.lowerBound, $1.upperBound) }
    }

    private mutating func close(_ unknown: [UInt8]?) {
        if let unknown { raw(unknown) }
        raw("}")
    }

    private mutating func identity(_ identity: FileIdentity, unknown: [UInt8]?) {
        member("{\"device\":", identity.device)
        member(",\"inode\":", identity.inode)
        member(",\"size\":", identity.size)
        // Nanoseconds since 1970 exceed 2^53, and other JSON readers would round them.
        member(",\"modified\":", identity.modified) { $0.quotedInteger($1) }
        member(",\"changed\":", identity.changed) { $0.quotedInteger($1) }
        close(unknown)
    }

    private mutating func target(_ target: Upload.Target, unknown: [UInt8]?) {
        member("{\"destination\":", target.destination)
        member(",\"url\":", target.url.withoutUserInfo)
        member(",\"method\":", target.protocolName)
        member(",\"name\":", target.name)
        list(",\"fields\":", target.fields) { writer, field in
            writer.raw("[")
            writer.string(field.name)
            writer.raw(",")
            writer.string(field.value)
            writer.raw("]")
        }
        member(",\"ifExists\":", target.existing?.rawValue)
        close(unknown)
    }

    mutating func state(_ state: Upload.State, unknown: UnknownFields.OfPart?) {
        raw("{\"is\":\"")
        raw(state.kind.utf8)
        raw("\"")
        switch state {
        case .queued: break
        case .running(let attempt, let since):
            member(",\"attempt\":", attempt)
            member(",\"since\":", since)
        case .waiting(let until, let failure):
            member(",\"until\":", until)
            self.failure(failure)
        case .paused(let reasons): self.reasons(reasons)
        case .held(let failure), .failed(let failure): self.failure(failure)
        case .done(let receipt, let at):
            member(",\"at\":", at)
            self.receipt(receipt)
        }
        close(unknown?.name == state.kind ? unknown?.members : nil)
    }

    private mutating func failure(_ failure: UploadFailure) {
        member(",\"category\":", failure.category.known.rawValue)
        if failure.category != failure.category.known {
            member(",\"cause\":", failure.category.rawValue)
        }
        member(",\"summary\":", failure.summary)
        member(",\"hint\":", failure.hint)
        member(",\"status\":", failure.status)
        member(",\"retryAfter\":", failure.retryAfter)
        member(",\"detail\":", failure.detail?.rawValue)
    }

    private mutating func reasons(_ reasons: Upload.PauseReasons) {
        raw(",\"reasons\":[")
        var separator: StaticString = ""
        for (reason, name) in Upload.PauseReasons.names where reasons.contains(reason) {
            raw(separator)
            string(name)
            separator = ","
        }
        let unnamed = Upload.PauseReasons.names.reduce(reasons) { $0.subtracting($1.reason) }
        if !unnamed.isEmpty {
            raw(separator)
            integer(unnamed.rawValue)
        }
        raw("]")
    }

    private mutating func receipt(_ receipt: Receipt) {
        member(",\"location\":", receipt.location?.withoutUserInfo)
        member(",\"entityTag\":", receipt.entityTag)
        member(",\"bytes\":", receipt.bytes)
        member(",\"duration\":", receipt.duration)
        member(",\"verified\":", receipt.verified?.rawValue)
        if receipt.wasThere { raw(",\"wasThere\":true") }
        member(",\"chosen\":", receipt.chosen)
        member(",\"source\":", receipt.source?.rawValue)
    }

    private mutating func resource(_ resource: UploadResource, unknown: UnknownFields.OfPart?) {
        let url = resource.url.withoutUserInfo
        member("{\"url\":", url)
        member(",\"confirmed\":", resource.confirmed)
        member(",\"parts\":", resource.parts) { $0.pair($1.stored, $1.planned) }
        member(",\"expires\":", resource.expires)
        if !resource.memory.members.isEmpty {
            raw(",\"fields\":{")
            for (index, field) in resource.memory.members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { raw(",") }
                string(field.key)
                raw(":")
                string(field.value)
            }
            raw("}")
        }
        close(unknown?.name == url ? unknown?.members : nil)
    }

    private mutating func tries(_ tries: Upload.Tries, unknown: [UInt8]?) {
        member("{\"attempts\":", tries.attempts)
        member(",\"network\":", tries.network)
        member(",\"server\":", tries.server)
        member(",\"authentication\":", tries.authentication)
        member(",\"resumes\":", tries.resumes)
        member(",\"resent\":", tries.resent)
        member(",\"delay\":", tries.delay)
        if tries.changes != 0 { member(",\"changes\":", tries.changes) }
        if tries.sent != 0 { member(",\"sent\":", tries.sent) }
        if tries.uncertain != 0 { member(",\"uncertain\":", tries.uncertain) }
        if tries.acceptsPage { raw(",\"acceptsPage\":true") }
        close(unknown)
    }
}

extension Upload.PauseReasons {
    static let names: [(reason: Self, name: String)] = [(.user, "user"), (.offline, "offline")]
}

extension String {
    /// The URL without `user:password@`, because passwords must never enter the files of the queue.
    var withoutUserInfo: String {
        // Few URLs have user info, and the search for the scheme takes long.
        guard hasByte("@"), let scheme = utf8.firstRange(of: "://".utf8) else {
            return self
        }
        let authority = utf8[scheme.upperBound...].prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return self }
        return String(self[..<scheme.upperBound]) + String(self[utf8.index(after: at)...])
    }
}
