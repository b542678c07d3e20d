import FerryFiles
import FerryTransfer

/// The policy for uploads when the terminal disappears, because its window is closed or the ssh connection is lost.
enum HangUpPolicy: String, Decodable, CaseIterable {
    /// The uploads stop. They resume when Ferry starts again.
    case stop
    /// The uploads continue without a screen.
    case `continue`
}

/// The log file that receives the output after the terminal has disappeared.
struct HangUpLog {
    let path: LocalPath

    init(folder: LocalPath) { path = folder.appending(Array("hangup.log".utf8)) }

    /// Redirects standard output and standard error to the log file, and standard input to /dev/null. If the file
    /// cannot be opened, the output goes to /dev/null too.
    func takeOver() { StandardStream.redirectAll(to: path) }
}
