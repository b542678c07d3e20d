/// Thrown by an adapter that had to wait: what the adapters before it made may be out of date by now, such as a time or
/// a signature. All adapters are then run again, from the unadapted request and within the same attempt.
public struct AdapterRetry: Error, Hashable {
    /// Runs of all adapters in one attempt after which the error ends the attempt.
    public static let limit = 8

    public init() {}
}
