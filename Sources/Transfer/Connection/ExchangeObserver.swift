import FerryProtocols

/// The receiver of a connection's events for one exchange: a request and its response. Called on the connection's event
/// loop.
protocol ExchangeObserver: Sendable {
    /// Reports that the request's head is written. `isKept` is true if the connection has served a request before.
    func didStart(onKeptConnection isKept: Bool)
    /// Reports that a write failed: the connection broke, or the kernel could not read the file.
    func didFailToWrite(_ error: any Error)
    /// Reports that the connection broke. `difference` is the number of bytes that left this machine, minus the number
    /// of bytes in completed writes. It is negative if the kernel accepted bytes and did not send them. This function
    /// is called only if the difference is known.
    func didBreak(sending difference: ByteCount)
    /// Reports that a response with a status of 300 or above arrived completely before the request was sent completely.
    /// The rest of the request's body is not needed.
    func didRefuseRest()
    /// Reports that the response has arrived completely.
    func didReceiveEnd()
    /// True if a break of the connection costs little: the server keeps the received part, or the body is small.
    var breakCostsLittle: Bool { get }
    /// The maximum number of unsent bytes in the kernel's buffer; nil for the kernel's default. Without this maximum, a
    /// rate-limited upload would fill the buffer with megabytes while the network is away. Those bytes would count as
    /// progress although they have not left this machine.
    var unsentLimit: Int? { get }
    /// True if the server possibly needs minutes for its response, and sends a byte now and then until the response is
    /// complete.
    var responseMayTakeLong: Bool { get }
}
