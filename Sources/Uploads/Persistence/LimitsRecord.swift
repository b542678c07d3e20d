import FerryProtocols

/// Writes the JSON member `limits` of the queue's settings: the bandwidth limits that users set for all uploads, for
/// destinations and for batches. An entry without `rate` means unlimited.
extension JSONWriter {
    mutating func limits(_ limits: [(key: LimitScope, value: Bandwidth)]) {
        var separator: StaticString = ",\"limits\":["
        for (scope, bandwidth) in limits {
            raw(separator)
            separator = ","
            switch scope {
            case .total: raw("{\"scope\":\"total\"")
            case .destination(let name):
                member("{\"scope\":\"destination\",\"name\":", name)
            case .batch(let name):
                member("{\"scope\":\"batch\",\"name\":", name)
            }
            member(",\"rate\":", bandwidth.rate)
            raw("}")
        }
        raw("]")
    }
}

extension JSONScanner {
    mutating func limits() throws(MalformedJSON) -> [LimitScope: Bandwidth] {
        var limits: [LimitScope: Bandwidth] = [:]
        var isFirst = true
        try expect("[")
        while try element(isFirst: &isFirst) {
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
        var isFirst = true
        try expect("{")
        while let key = try key(isFirst: &isFirst) {
            switch key {
            case "scope": try scope.fill(string(), at: position)
            case "name": try name.fill(string(), at: position)
            case "rate": try rate.fill(integer(), at: position)
            default: _ = try skipValue()
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
