import FerryProtocols
import FerryReceiver
import FerryTUI
import FerryUploads

/// The failure of a command: its message, a hint and the exit status.
struct CommandFailure: Error {
    static let usage: Int32 = 2
    /// The exit status if no engine runs, as in `systemctl status` for a service that does not run.
    static let nothingRuns: Int32 = 3
    /// The exit status if standard output or an export could not be written, `EX_IOERR` of `sysexits.h`.
    static let outputLost: Int32 = 74
    static let queueInUse: Int32 = 75

    var status: Int32
    var summary: String
    var hint: String?
}

extension CommandFailure {
    init(usage summary: String, hint: String? = nil) {
        self.init(status: Self.usage, summary: summary, hint: hint)
    }

    init(usage failure: UploadFailure) { self.init(usage: failure.summary, hint: failure.hint) }

    /// Creates the failure for a queue that another process owns, if that process does not carry out the command.
    init(inUse summary: String, hint: String? = nil) {
        self.init(status: Self.queueInUse, summary: summary, hint: hint)
    }

    init(inUse failure: UploadFailure) { self.init(inUse: failure.summary, hint: failure.hint) }

    init(refused failure: UploadFailure) {
        self.init(
            status: failure.category == .storage ? 73 : Self.usage, summary: failure.summary,
            hint: failure.hint)
    }

    init(_ error: JournalError) {
        self.init(status: error.exitStatus, summary: error.summary, hint: error.commandHint)
    }

    /// Creates the failure for an error that ended a command; nil for one of the argument parser.
    init?(of error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as UploadFailure: self.init(usage: error)
        case let error as JournalError: self.init(error)
        case let error as ScreenError: self.init(usage: "\(error)")
        case let error as ReceiverError:
            self.init(usage: error.errorDescription ?? "\(error)", hint: error.recoverySuggestion)
        default: return nil
        }
    }

    func print() {
        StandardError.write("error: \(SafeLine.text(summary))\n")
        if let hint { StandardError.write("hint: \(SafeLine.text(hint))\n") }
    }
}

extension Notice {
    /// The notice in one line, with control characters escaped.
    var line: String { "\(kind.rawValue): \(SafeLine.text(text))" }
}

enum StandardError {
    static func write(_ text: String) { WaitLine.write(text) }

    /// Writes a note to standard error, with control characters escaped.
    static func note(_ text: String) { write("\(Notice(kind: .note, text: text).line)\n") }
    static func warn(_ text: String) { write("\(Notice(kind: .warning, text: text).line)\n") }
}

/// Escapes control characters in text for a terminal. For example, file names and messages of servers can contain them.
enum SafeLine {
    static func text(_ raw: String) -> String {
        escaped(raw) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
    }

    /// Returns the text with escapes for all characters that a terminal interprets, except `harmless`.
    static func escaped(
        _ raw: String, but harmless: Unicode.Scalar? = nil, _ escape: (Unicode.Scalar) -> String
    ) -> String {
        if raw.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return raw }
        var out = ""
        for scalar in raw.unicodeScalars {
            if scalar != harmless, needsEscape(scalar) {
                out += escape(scalar)
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        // ASCII needs no lookup of the category, which took a quarter of the time of `ferry list --json`.
        if scalar.value < 0x7F { return scalar.value < 0x20 }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
            true
        default: false
        }
    }
}
