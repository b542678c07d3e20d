import FerryFiles

/// Begins an upload anew that the server dropped, and keeps count: a server that drops what is not finished each time
/// that the link breaks would otherwise get a file from its start for ever.
struct RestartGuard: Sendable {
    /// Seconds in which a server may drop the same upload once.
    static let pause = 3600.0

    /// The wall clock, because the notes of an earlier attempt count too.
    var now: @Sendable () -> Date = { Date() }
    private var last: Date?

    /// Notes that nothing is left of `resource`.
    ///
    /// - Returns: What ends the upload instead of beginning anew.
    mutating func drop(_ resource: UploadResource, because reason: String) -> Step? {
        let moment = now()
        guard let before = last ?? resource.marks.droppedAt,
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
    func mark(_ resource: inout UploadResource) { resource.marks.droppedAt = last }
}
