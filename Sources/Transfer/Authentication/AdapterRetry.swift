/// The error that an adapter throws after it had to wait. By then, a time or a signature that the adapters before it
/// added can be out of date. So all adapters run again on the unadapted request, within the same attempt.
public struct AdapterRetry: Error, Hashable {
    /// The maximum number of times that all adapters run in one attempt. If an adapter throws `AdapterRetry` in the
    /// last run, the attempt ends.
    public static let limit = 8

    public init() {}
}
