import FerryProtocols
import FerryTransfer

extension JSONWriter {
    /// The record of one upload: one line, `id` first, members left out where they say nothing.
    mutating func upload(_ upload: Upload, unknown: UnknownMembers?) {
        raw("{\"id\":")
        integer(upload.id)
        raw(",\"rank\":")
        integer(upload.rank)
        raw(",\"path\":")
        path(upload.path)
        raw(",\"file\":")
        identity(upload.identity, unknown: unknown?.file)
        raw(",\"to\":")
        target(upload.target, unknown: unknown?.target)
        raw(",\"state\":")
        state(upload.state, unknown: unknown?.state)
        if let resource = upload.resource {
            raw(",\"resource\":")
            self.resource(resource, unknown: unknown?.resource)
        }
        if upload.tries != Upload.Tries() || unknown?.tries.isEmpty == false {
            raw(",\"tries\":")
            tries(upload.tries, unknown: unknown?.tries)
        }
        raw(",\"added\":")
        date(upload.added)
        if let batch = upload.batch {
            raw(",\"batch\":")
            string(batch)
        }
        if let start = upload.start { self.start(start) }
        close(unknown?.upload)
    }

    private mutating func start(_ start: Upload.StartCondition) {
        if let notBefore = start.notBefore {
            raw(",\"startsAt\":")
            date(notBefore)
        }
        guard !start.after.isEmpty else { return }
        raw(",\"after\":[")
        for (index, range) in start.after.enumerated() {
            raw(index == 0 ? "[" : ",[")
            integer(range.lowerBound)
            raw(",")
            integer(range.upperBound)
            raw("]")
        }
        raw("]")
    }

    private mutating func close(_ unknown: [UInt8]?) {
        if let unknown { raw(unknown) }
        raw("}")
    }

    private mutating func identity(_ identity: FileIdentity, unknown: [UInt8]?) {
        raw("{\"device\":")
        integer(identity.device)
        raw(",\"inode\":")
        integer(identity.inode)
        raw(",\"size\":")
        integer(identity.size)
        // Nanoseconds do not fit the 2^53 that other readers of JSON keep exact.
        raw(",\"modified\":")
        quotedInteger(identity.modified)
        raw(",\"changed\":")
        quotedInteger(identity.changed)
        close(unknown)
    }

    private mutating func target(_ target: Upload.Target, unknown: [UInt8]?) {
        raw("{\"destination\":")
        string(target.destination)
        raw(",\"url\":")
        string(target.url.withoutUserInfo)
        raw(",\"method\":")
        string(target.method)
        raw(",\"name\":")
        string(target.name)
        if !target.fields.isEmpty {
            raw(",\"fields\":[")
            for (index, field) in target.fields.enumerated() {
                raw(index == 0 ? "[" : ",[")
                string(field.name)
                raw(",")
                string(field.value)
                raw("]")
            }
            raw("]")
        }
        if let existing = target.existing {
            raw(",\"ifExists\":")
            string(existing.rawValue)
        }
        close(unknown)
    }

    private mutating func state(_ state: Upload.State, unknown: UnknownMembers.OfState?) {
        raw("{\"is\":\"")
        raw(state.kind.utf8)
        raw("\"")
        switch state {
        case .queued: break
        case .running(let attempt, let since):
            raw(",\"attempt\":")
            integer(attempt)
            raw(",\"since\":")
            date(since)
        case .waiting(let until, let failure):
            raw(",\"until\":")
            date(until)
            self.failure(failure)
        case .paused(let reasons): self.reasons(reasons)
        case .held(let failure), .failed(let failure): self.failure(failure)
        case .done(let receipt, let at):
            raw(",\"at\":")
            date(at)
            self.receipt(receipt)
        }
        close(unknown?.kind == state.kind ? unknown?.members : nil)
    }

    private mutating func failure(_ failure: UploadFailure) {
        raw(",\"category\":")
        string(failure.category.known.rawValue)
        if failure.category != failure.category.known {
            raw(",\"cause\":")
            string(failure.category.rawValue)
        }
        raw(",\"summary\":")
        string(failure.summary)
        if let hint = failure.hint {
            raw(",\"hint\":")
            string(hint)
        }
        if let status = failure.status {
            raw(",\"status\":")
            integer(status)
        }
        if let retryAfter = failure.retryAfter {
            raw(",\"retryAfter\":")
            double(retryAfter)
        }
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
        if let location = receipt.location {
            raw(",\"location\":")
            string(location.withoutUserInfo)
        }
        if let entityTag = receipt.entityTag {
            raw(",\"entityTag\":")
            string(entityTag)
        }
        raw(",\"bytes\":")
        integer(receipt.bytes)
        raw(",\"duration\":")
        double(receipt.duration)
        if let verified = receipt.verified {
            raw(",\"verified\":")
            string(verified.rawValue)
        }
        if receipt.wasThere { raw(",\"wasThere\":true") }
        if let chosen = receipt.chosen {
            raw(",\"chosen\":")
            string(chosen)
        }
        if let source = receipt.source {
            raw(",\"source\":")
            string(source.rawValue)
        }
    }

    private mutating func resource(_ resource: Resource, unknown: UnknownMembers.OfResource?) {
        let url = resource.url.withoutUserInfo
        raw("{\"url\":")
        string(url)
        raw(",\"confirmed\":")
        integer(resource.confirmed)
        if let parts = resource.parts {
            raw(",\"parts\":[")
            integer(parts.held)
            raw(",")
            integer(parts.planned)
            raw("]")
        }
        if let expires = resource.expires {
            raw(",\"expires\":")
            date(expires)
        }
        if !resource.fields.isEmpty {
            raw(",\"fields\":{")
            for (index, field) in resource.fields.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { raw(",") }
                string(field.key)
                raw(":")
                string(field.value)
            }
            raw("}")
        }
        close(unknown?.url == url ? unknown?.members : nil)
    }

    private mutating func tries(_ tries: Upload.Tries, unknown: [UInt8]?) {
        raw("{\"attempts\":")
        integer(tries.attempts)
        raw(",\"network\":")
        integer(tries.network)
        raw(",\"server\":")
        integer(tries.server)
        raw(",\"authentication\":")
        integer(tries.authentication)
        raw(",\"resumes\":")
        integer(tries.resumes)
        raw(",\"resent\":")
        integer(tries.resent)
        raw(",\"delay\":")
        double(tries.delay)
        if tries.changes != 0 {
            raw(",\"changes\":")
            integer(tries.changes)
        }
        if tries.sent != 0 {
            raw(",\"sent\":")
            integer(tries.sent)
        }
        if tries.uncertain != 0 {
            raw(",\"uncertain\":")
            integer(tries.uncertain)
        }
        close(unknown)
    }
}

extension Upload.PauseReasons {
    static let names: [(reason: Self, name: String)] = [(.user, "user"), (.offline, "offline")]
}

extension String {
    /// The address without `user:password@`: secrets never enter the files of the queue.
    var withoutUserInfo: String {
        guard let scheme = utf8.firstRange(of: "://".utf8) else { return self }
        let authority = utf8[scheme.upperBound...].prefix {
            $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
        }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return self }
        return String(self[..<scheme.upperBound]) + String(self[utf8.index(after: at)...])
    }
}
