import FerryProtocols
package import FerryUploads

extension Bandwidth {
    /// The limit in words: `2 MiB/s`, `no limit`.
    package var text: String { rate.map { ByteFormat.rate(Double($0)) } ?? "no limit" }
}

extension LimitScope {
    /// The scope in words: `all uploads`, `uploads to films`.
    package var text: String {
        switch self {
        case .total: "all uploads"
        case .destination(let name): "uploads to \(name)"
        case .batch(let name): "uploads of the batch \(name)"
        }
    }

    /// The title of the limit: `total limit`, `limit for uploads to films`.
    package var title: String { self == .total ? "total limit" : "limit for \(text)" }

    var name: String? {
        switch self {
        case .total: nil
        case .destination(let name), .batch(let name): name
        }
    }

    func has(_ upload: Upload) -> Bool {
        switch self {
        case .total: true
        case .destination(let name): upload.target.destination == name
        case .batch(let name): upload.batch == name
        }
    }

    /// Returns the sentence that confirms a new limit; nil is the configured one.
    func confirmation(of bandwidth: Bandwidth?) -> String {
        let suffix = self == .total ? "" : " for \(text)"
        return switch bandwidth {
        case .atMost: "\(title): \(bandwidth?.text ?? "")"
        case .unlimited: "no bandwidth limit\(suffix)"
        case nil: "the bandwidth limit\(suffix) is as configured"
        }
    }
}

extension BandwidthLimit {
    /// Returns the limit with its end: `2 MiB/s until 18:00`, or with the day if that is a day or more after `now`.
    package func text(at now: Date, in zone: ZoneRules) -> String {
        bandwidth.text + (until.map { " until \(Strings.moment($0, after: now, in: zone))" } ?? "")
    }

    /// Returns the limit with its scope: `limit for uploads to films: 2 MiB/s until 18:00`.
    func listed(at now: Date, in zone: ZoneRules) -> String { "\(scope.title): \(text(at: now, in: zone))" }
}
