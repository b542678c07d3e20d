/// The error of an adapter that had to wait: a time or a signature from the adapters before it may be out of date by
/// now. All adapters then run again, from the unadapted request and within the same attempt.
public struct AdapterRetry: Error, Hashable {
    /// The number of runs of all adapters in one attempt after which the error ends the attempt.
    public static let limit = 8

    public init() {}
}
