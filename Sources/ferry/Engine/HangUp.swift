import FerryFiles
import FerryTransfer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The treatment of the uploads when the terminal disappears: a closed window, a lost ssh.
enum HangUpPolicy: String, Decodable, CaseIterable {
    /// The uploads stop and resume at the next start.
    case stop
    /// The uploads continue without a screen.
    case `continue`
}

/// The file for messages once there is no terminal.
struct HangUpLog {
    let path: String

    init(folder: LocalPath) { path = folder.text + "/hangup.log" }

    /// Makes the log standard output and error, and closes the input. If the log cannot be opened, messages are
    /// dropped.
    func takeOver() {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        dup2(nothing, STDIN_FILENO)
        for stream in [STDOUT_FILENO, STDERR_FILENO] { dup2(file >= 0 ? file : nothing, stream) }
        for opened in [nothing, file] where opened > STDERR_FILENO { close(opened) }
    }
}
