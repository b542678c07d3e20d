import FerryProtocols
public import FerryUploads
public import Foundation

extension Bandwidth {
    /// `2 MB/s`, `no limit`.
    public var text: String { rate.map { ByteFormat.rate(Double($0)) } ?? "no limit" }
}

extension LimitScope {
    /// `all uploads together`, `uploads to films`.
    public var text: String {
        switch self {
        case .total: "all uploads together"
        case .destination(let name): "uploads to \(name)"
        case .batch(let name): "uploads of the batch \(name)"
        }
    }
}

extension LimitScope {
    /// As people called it; nil for all together.
    var name: String? {
        switch self {
        case .total: nil
        case .destination(let name), .batch(let name): name
        }
    }

    /// True if an upload goes by this limit.
    func has(_ upload: Upload) -> Bool {
        switch self {
        case .total: true
        case .destination(let name): upload.target.destination == name
        case .batch(let name): upload.batch == name
        }
    }
}

extension BandwidthLimit {
    /// `2 MB/s until 18:00`.
    ///
    /// - Parameter now: From a day on, the moment has its day of the week.
    public func text(at now: Date, in zone: TimeZone) -> String {
        bandwidth.text + (until.map { " until \(Wording.moment($0, after: now, in: zone))" } ?? "")
    }

    /// Of one scope among others: `films: 2 MB/s until 18:00`.
    func listed(at now: Date, in zone: TimeZone) -> String { "\(scope.text): \(text(at: now, in: zone))" }
}

/// What an order of a limit comes to.
enum BandwidthOrder {
    /// - Parameter bandwidth: Nil for what the configuration says.
    static func told(_ bandwidth: Bandwidth?, of scope: LimitScope) -> String {
        let suffix = scope == .total ? "" : " for \(scope.text)"
        return switch bandwidth {
        case .atMost: "\(scope.text) at most \(bandwidth?.text ?? "")"
        case .unlimited: "no bandwidth limit\(suffix)"
        case nil: "the bandwidth limit\(suffix) is what the configuration says"
        }
    }
}
