import FerryFiles
import FerryTransfer

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The treatment of the uploads when the terminal goes: a closed window, a lost ssh.
enum HangUpPolicy: String, Decodable, CaseIterable {
    /// The uploads resume with the next start.
    case stop
    /// The uploads go on without a screen.
    case `continue`
}

/// The file that takes what is said once there is no terminal to say it to.
struct HangUpLog {
    let path: String

    init(folder: LocalPath) { path = folder.text + "/hangup.log" }

    /// Makes the log standard output and error, and closes the input. If the log cannot be opened, nothing is kept.
    func takeOver() {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        dup2(nothing, STDIN_FILENO)
        for stream in [STDOUT_FILENO, STDERR_FILENO] { dup2(file >= 0 ? file : nothing, stream) }
        for opened in [nothing, file] where opened > STDERR_FILENO { close(opened) }
    }
}
