import FerryProtocols

extension JSONWriter {
    mutating func settings(_ settings: QueueSettings, unknown: [UInt8]) {
        member("{\"nextID\":", settings.nextID)
        // Older versions of Ferry know only this limit, which applies to all uploads together.
        member(",\"bandwidthLimit\":", settings.limits[.total]?.rate)
        member(",\"concurrency\":", settings.concurrency)
        let others = settings.limits.filter { $0.key != .total || $0.value == .unlimited }
        if !others.isEmpty { limits(others.sorted { $0.key < $1.key }) }
        if !settings.pausedBatches.isEmpty {
            raw(",\"pausedBatches\":[")
            for (index, name) in settings.pausedBatches.sorted().enumerated() {
                if index > 0 { raw(",") }
                string(name)
            }
            raw("]")
        }
        raw(unknown)
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
        var paused: [String]?
        var isFirst = true
        try expect("{")
        while let key = try key(isFirst: &isFirst) {
            switch key {
            case "nextID": try nextID.fill(integer(), at: position)
            case "bandwidthLimit": try total.fill(integer(), at: position)
            case "concurrency": try concurrency.fill(integer(), at: position)
            case "limits": try limits.fill(self.limits(), at: position)
            case "pausedBatches": try paused.fill(names(), at: position)
            default: try keepMember(key, in: &unknown)
            }
        }
        var all = limits ?? [:]
        // `bandwidthLimit` overrides `limits`: an older version of Ferry, which does not know `limits`, may have
        // changed it.
        if let total { all[.total] = .atMost(total) }
        let settings = QueueSettings(
            limits: all, concurrency: concurrency, nextID: try require(nextID, "nextID"),
            pausedBatches: Set(paused ?? []))
        return (settings, unknown)
    }

    private mutating func names() throws(MalformedJSON) -> [String] {
        var names: [String] = []
        var isFirst = true
        try expect("[")
        while try element(isFirst: &isFirst) { names.append(try string()) }
        return names
    }
}
