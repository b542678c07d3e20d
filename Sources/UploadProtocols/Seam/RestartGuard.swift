import FerryFiles

/// A limit on restarts of an upload that the server dropped. Without it, a server that drops unfinished uploads at each
/// break of the link would receive the file from its start for ever.
struct RestartGuard: Sendable {
    /// The seconds in which a server may drop the same upload once.
    static let pause = 3600.0

    /// The wall clock, because the notes of an earlier attempt count too.
    var now: @Sendable () -> Date = { Date() }
    private var last: Date?

    /// Records that the server has dropped `resource`.
    ///
    /// - Returns: The step that ends the upload; nil to restart.
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

    /// Records the time in the upload that replaces the dropped one.
    func mark(_ resource: inout UploadResource) { resource.marks.droppedAt = last }
}
