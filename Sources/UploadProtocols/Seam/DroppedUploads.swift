import struct Foundation.Date

/// Begins an upload anew that the server dropped, and keeps count: a server that drops what is not finished each time
/// that the link breaks would otherwise get a file from its start for ever.
struct DroppedUploads: Sendable {
    /// Seconds in which a server may drop the same upload once.
    static let pause = 3600.0

    /// By the wall clock: what an earlier attempt noted counts too.
    var now: @Sendable () -> Date = { Date() }
    private var last: Date?

    /// Notes that nothing is left of `resource`.
    ///
    /// - Returns: What ends the upload instead of beginning anew.
    mutating func drop(_ resource: Resource, because reason: String) -> Step? {
        let moment = now()
        guard let before = last ?? resource.droppedAt,
            abs(moment.timeIntervalSince(before)) < Self.pause
        else {
            last = moment
            return nil
        }
        return .failed(
            UploadFailure(
                .permanent, "\(reason), for the second time within an hour",
                hint: "retry sends it again from its start; ask who runs the server why it drops uploads"),
            notes: [.resource(nil)])
    }

    /// Leaves word with the upload that takes the dropped one's place.
    func mark(_ resource: inout Resource) { resource.droppedAt = last }
}

extension Resource {
    private static let droppedField = "dropped"

    /// When the server had dropped the upload before this one; nil if it had not.
    var droppedAt: Date? {
        get {
            fields[Self.droppedField].flatMap { Int64($0) }.map { Date(timeIntervalSince1970: Double($0)) }
        }
        set {
            fields[Self.droppedField] = newValue.flatMap {
                Int64(exactly: $0.timeIntervalSince1970.rounded())
            }
            .map { "\($0)" }
        }
    }
}
