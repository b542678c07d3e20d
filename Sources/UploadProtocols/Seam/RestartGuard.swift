import FerryFiles

/// A limit on restarts: some servers drop an unfinished upload each time the connection breaks.
struct RestartGuard: Sendable {
    /// The seconds within which a second drop ends the upload with a failure.
    static let pause = 3600.0

    /// The wall clock, because a monotonic time cannot be stored and compared in a later attempt.
    var now: @Sendable () -> Date = { Date() }
    private var last: Date?

    /// Records that the server dropped `resource`. Returns the step that ends the upload after two drops within
    /// `pause`.
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

    /// Stores in `resource`, which has replaced the dropped upload, the time of the last drop in this attempt.
    func mark(_ resource: inout UploadResource) { resource.marks.droppedAt = last }
}
