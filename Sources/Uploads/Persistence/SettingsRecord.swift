import FerryProtocols

extension JSONWriter {
    /// The greatest `concurrency` that older versions accept.
    private static let olderSlotCount = 256
    /// The `concurrency` in place of a greater one, which is in `slots`. Users of older versions hardly choose it.
    fileprivate static let slotsInstead = olderSlotCount - 1

    mutating func settings(_ settings: QueueSettings, unknown: [UInt8]) {
        member("{\"nextID\":", settings.nextID)
        // Older versions of Ferry know only this limit, which applies to all uploads together.
        member(",\"bandwidthLimit\":", settings.limits[.total]?.rate)
        if let count = settings.concurrency, count > Self.olderSlotCount {
            // Older versions refuse an edited file with so many, and keep `slots` without reading it.
            member(",\"concurrency\":", Self.slotsInstead)
            member(",\"slots\":", count)
        } else {
            member(",\"concurrency\":", settings.concurrency)
        }
        let others = settings.limits.filter { $0.key != .total || $0.value == .unlimited }
        list(",\"limits\":", others.sorted { $0.key < $1.key }) { $0.limit($1.key, $1.value) }
        list(",\"pausedBatches\":", settings.pausedBatches.sorted()) { $0.string($1) }
        raw(unknown)
        raw("}")
    }

    /// Appends one bandwidth limit. Without the member `rate`, the bandwidth is unlimited.
    private mutating func limit(_ scope: LimitScope, _ bandwidth: Bandwidth) {
        switch scope {
        case .total: raw("{\"scope\":\"total\"")
        case .destination(let name): member("{\"scope\":\"destination\",\"name\":", name)
        case .batch(let name): member("{\"scope\":\"batch\",\"name\":", name)
        }
        member(",\"rate\":", bandwidth.rate)
        raw("}")
    }
}

extension JSONScanner {
    mutating func settings() throws(MalformedJSON) -> (settings: QueueSettings, unknown: [UInt8]) {
        var unknown: [UInt8] = []
        var nextID: Int?
        var total: ByteCount?
        var limits: [LimitScope: Bandwidth]?
        var concurrency: Int?
        var slots: Int?
        var paused: [String]?
        try expect("{")
        while let key = try key() {
            switch key {
            case "nextID": try nextID.fill(integer(), at: position)
            case "bandwidthLimit": try total.fill(integer(), at: position)
            case "concurrency": try concurrency.fill(integer(), at: position)
            case "slots": try slots.fill(integer(), at: position)
            case "limits": try limits.fill(self.limits(), at: position)
            case "pausedBatches":
                let names = try list { (scanner) throws(MalformedJSON) in try scanner.string() }
                try paused.fill(names, at: position)
            default: try keepMember(key, in: &unknown)
            }
        }
        var all = limits ?? [:]
        // An older version of Ferry, which does not know `limits`, may have changed `bandwidthLimit`.
        if let total { all[.total] = .atMost(total) }
        // An older version may have changed `concurrency`.
        if concurrency == JSONWriter.slotsInstead { concurrency = slots ?? concurrency }
        let settings = QueueSettings(
            limits: all, concurrency: concurrency, nextID: try require(nextID, "nextID"),
            pausedBatches: Set(paused ?? []))
        return (settings, unknown)
    }

    private mutating func limits() throws(MalformedJSON) -> [LimitScope: Bandwidth] {
        var limits: [LimitScope: Bandwidth] = [:]
        try expect("[")
        while try element() {
            let (scope, bandwidth) = try limit()
            guard limits.updateValue(bandwidth, forKey: scope) == nil else {
                throw malformed("a limit is there twice")
            }
        }
        return limits
    }

    private mutating func limit() throws(MalformedJSON) -> (LimitScope, Bandwidth) {
        var scope: String?
        var name: String?
        var rate: ByteCount?
        try expect("{")
        while let key = try key() {
            switch key {
            case "scope": try scope.fill(string(), at: position)
            case "name": try name.fill(string(), at: position)
            case "rate": try rate.fill(integer(), at: position)
            default: try skipValue()
            }
        }
        let bandwidth = rate.map { Bandwidth.atMost($0) } ?? .unlimited
        switch try require(scope, "scope") {
        case "total": return (.total, bandwidth)
        case "destination": return (.destination(try require(name, "name")), bandwidth)
        case "batch": return (.batch(try require(name, "name")), bandwidth)
        default: throw malformed("expected a scope that is total, destination or batch")
        }
    }
}
