import FerryProtocols

/// The receiver of a connection's events for one exchange (a request and its response), on its event loop.
protocol ExchangeObserver: Sendable {
    /// Reports that the request's head is written. `isKept` is true if the connection has served a request before.
    func didStart(onKeptConnection isKept: Bool)
    /// Reports that a write failed: the connection broke, or the kernel could not read the file.
    func didFailToWrite(_ error: any Error)
    /// Reports that the connection broke, if the number of sent bytes is known. `difference` is that number minus the
    /// bytes in completed writes: negative if the kernel accepted bytes and did not send them.
    func didBreak(sending difference: ByteCount)
    /// Reports that a refusal (status 300 and above) arrived before the whole request was sent, whose rest is not
    /// needed.
    func didRefuseRest()
    /// Reports that the response has arrived completely.
    func didReceiveEnd()
    /// True if a break of the connection costs little: the server keeps the received part, or the body is small.
    var breakCostsLittle: Bool { get }
    /// The maximum number of unsent bytes in the kernel's buffer; nil for its default. Without it, a rate-limited
    /// upload would fill the buffer while the network is away, and those bytes would count as progress.
    var unsentLimit: Int? { get }
    /// True if the server possibly needs minutes for its response, and sends a byte now and then.
    var responseMayTakeLong: Bool { get }
}
