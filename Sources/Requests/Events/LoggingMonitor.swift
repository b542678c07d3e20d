import FerryProtocols
public import FerryTransfer
public import Logging

/// Writes the events of requests to a swift-log logger, with the request's id, label and attempt as metadata.
public struct LoggingMonitor: EventMonitor {
    private let logger: Logger

    /// - Parameter logger: The logger, whose level selects the events: all for `trace`, all but the writes of a body
    ///   for `debug`, fewer for higher ones.
    public init(_ logger: Logger) { self.logger = logger }

    public func receive(_ event: TransferEvent, of request: RequestContext) {
        guard event.logLevel >= logger.logLevel else { return }
        var metadata: Logger.Metadata = [
            "request": "\(request.id)", "attempt": "\(request.attempt)",
        ]
        if !request.label.isEmpty { metadata["label"] = "\(request.label)" }
        logger.log(level: event.logLevel, "\(event.summary)", metadata: metadata)
    }
}

extension TransferEvent {
    fileprivate var logLevel: Logger.Level {
        switch self {
        case .sent: .trace
        case .created, .adapted, .started, .waiting, .responded, .suspended, .resumed: .debug
        case .redirected, .protocolChosen, .retriedOnFreshConnection, .refreshed, .finished, .cancelled: .info
        case .broke, .retrying, .serverLost: .notice
        case .failed, .certificateNotVerified: .warning
        }
    }
}
