import FerryFiles

/// A limit on how often an upload starts again. Some servers drop an unfinished upload each time the connection breaks.
/// Without the limit, such an upload would start again from its first byte for ever.
struct RestartGuard: Sendable {
    /// A time span in seconds. If the server drops the upload twice within this time, the upload ends with a failure.
    static let pause = 3600.0

    /// A closure that returns the time of the wall clock. A monotonic clock cannot be used, because the time is stored
    /// and compared with the time in a later attempt.
    var now: @Sendable () -> Date = { Date() }
    private var last: Date?

    /// Records that the server has dropped the upload `resource`.
    ///
    /// - Returns: The step that ends the upload with a failure, if the server has dropped the upload twice within
    ///   `pause` seconds. Nil if the upload can start again.
    mutating func drop(_ resource: UploadResource, because reason: String) -> Step? {
        let moment = now()
        guard let before = last ?? resource.marks.droppedAt,
            abs(moment.timeIntervalSince(before)) < Self.pause
        else {
            last = moment
            return nil
        }
        return .failed(
            .permanent, "\(reason), for the second time within an hour",
            hint: "retry sends it again from its start; ask who runs the server why it drops uploads",
            notes: [.resource(nil)])
    }

    /// Stores in `resource` the time when the server last dropped the upload in this attempt. Stores nil if that has
    /// not happened. `resource` is the upload that has replaced the dropped one.
    func mark(_ resource: inout UploadResource) { resource.marks.droppedAt = last }
}
