/// The error that a `RequestAdapter` throws after it had to wait. During the wait, a value that an earlier adapter put
/// into the request can become out of date, such as a time or a signature. So all adapters run again on the original
/// request, within the same attempt.
public struct AdapterRetry: Error, Hashable {
    /// The maximum number of times that all adapters run in one attempt. If an adapter throws `AdapterRetry` in the
    /// last run, the attempt ends.
    public static let limit = 8

    public init() {}
}
