import FerryFiles
import FerryProtocols
import FerryUploads

/// The failure of a command: the text to print, and the exit status.
struct CommandFailure: Error {
    static let usage: Int32 = 2
    /// The exit status of `systemctl status` for a service that does not run.
    static let nothingRuns: Int32 = 3
    static let queueInUse: Int32 = 75
    static let interrupted: Int32 = 130

    var status: Int32
    var summary: String
    var hint: String?

    init(status: Int32, summary: String, hint: String? = nil) {
        self.status = status
        self.summary = summary
        self.hint = hint
    }

    /// Creates the failure for wrong usage or configuration.
    init(usage failure: UploadFailure) {
        self.init(status: Self.usage, summary: failure.summary, hint: failure.hint)
    }

    /// Creates the failure for a command that the queue refused.
    init(refused failure: UploadFailure) {
        self.init(
            status: failure.category == .storage ? 73 : Self.usage, summary: failure.summary,
            hint: failure.hint)
    }

    init(_ error: JournalError) {
        self.init(status: error.exitStatus, summary: error.summary, hint: error.hint)
    }

    func print() {
        StandardError.write("error: \(SafeLine.text(summary))\n")
        if let hint { StandardError.write("hint: \(SafeLine.text(hint))\n") }
    }
}

enum StandardError {
    static func write(_ text: String) { StandardStream.errors.write(text) }
}

/// Outside text, made harmless for a terminal: file names and servers' messages may contain control characters.
enum SafeLine {
    static func text(_ raw: String) -> String {
        if raw.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return raw }
        guard raw.unicodeScalars.contains(where: needsEscape) else { return raw }
        var out = ""
        for scalar in raw.unicodeScalars {
            if needsEscape(scalar) {
                out += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            } else {
                out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate:
            true
        default: false
        }
    }
}
