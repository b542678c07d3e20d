import FerryFiles
import FerryTransfer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The policy for uploads when the terminal disappears, because its window is closed or the ssh connection is lost.
enum HangUpPolicy: String, Decodable, CaseIterable {
    /// The uploads stop and resume at the next start.
    case stop
    /// The uploads continue without a screen.
    case `continue`
}

/// The log file that receives the output after the terminal has disappeared.
struct HangUpLog {
    let path: String

    init(folder: LocalPath) { path = folder.text + "/hangup.log" }

    /// Redirects standard output and standard error to the log file, and standard input to /dev/null. If the file
    /// cannot be opened, the output goes to /dev/null too.
    func takeOver() {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        dup2(nothing, STDIN_FILENO)
        for stream in [STDOUT_FILENO, STDERR_FILENO] { dup2(file >= 0 ? file : nothing, stream) }
        for opened in [nothing, file] where opened > STDERR_FILENO { close(opened) }
    }
}
