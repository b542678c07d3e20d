import FerryFiles

/// A limit on restarts of an upload that the server has dropped. Some servers drop an unfinished upload at each break
/// of the connection. Without the limit, such an upload would start again from its first byte for ever.
struct RestartGuard: Sendable {
    /// The number of seconds within which a second drop ends the upload.
    static let pause = 3600.0

    /// A closure that returns the time of the wall clock. A monotonic clock cannot be used, because the time of a drop
    /// is stored and compared in a later attempt.
    var now: @Sendable () -> Date = { Date() }
    private var last: Date?

    /// Records that the server has dropped `resource`.
    ///
    /// - Returns: The step that ends the upload, if the server dropped it twice within `pause` seconds; nil to restart.
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

    /// Stores in the new upload resource the time of the last drop in this attempt; nil if there was none.
    func mark(_ resource: inout UploadResource) { resource.marks.droppedAt = last }
}
