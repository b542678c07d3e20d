import FerryTransfer
import Synchronization

/// The log file `ferry.log` in the state folder, with requests, responses and the engine's messages, but no secrets.
final class TransferLog: EventMonitor {
    private struct Log {
        var file: LogFile
        /// The time of the last line, in seconds and as cached text: a busy engine writes hundreds of lines a second.
        var moment = (second: Int.min, text: "")

        mutating func text(of date: Date) -> String {
            let second = Int(date.timeIntervalSinceReferenceDate.rounded(.down))
            if second != moment.second { moment = (second, date.formatted(.iso8601)) }
            return moment.text
        }
    }

    let detail = EventDetail.outline
    private let log: Mutex<Log>

    init(folder: LocalPath) { log = Mutex(Log(file: LogFile(folder.appending(Array("ferry.log".utf8))))) }

    func receive(_ event: TransferEvent, of request: RequestContext) {
        switch event {
        // These events are too frequent, or later events report the same.
        case .created, .started, .sent, .waiting, .finished: break
        case .adapted, .responded, .broke, .redirected, .retriedOnFreshConnection, .retrying, .refreshed,
            .serverLost, .protocolChosen, .suspended, .resumed, .failed, .cancelled, .certificateNotVerified:
            note((request.label.isEmpty ? "" : "#\(request.label) ") + event.summary)
        }
    }

    func note(_ text: String) {
        let text = SafeLine.text(text)
        log.withLock { log in log.file.append(Array("\(log.text(of: .now)) \(text)\n".utf8)) }
    }
}
