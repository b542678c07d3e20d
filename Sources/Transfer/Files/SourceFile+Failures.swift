public import FerryProtocols
import Foundation

extension SourceFile {
    /// The failure that says that the file cannot be read, and will not be by waiting.
    /// - Parameter reason: A part of a sentence: `no such file`.
    public static func unreadable(
        _ path: LocalPath, _ reason: String, hint: String = "put the file right, then retry"
    ) -> UploadFailure {
        UploadFailure(.sourceUnreadable, "\(path.text): \(reason)", hint: hint)
    }

    /// The failure that says that the medium does not let the file be read now.
    static func away(_ path: LocalPath, _ reason: String) -> UploadFailure {
        UploadFailure(.sourceAway, "\(path.text): source not readable (\(reason))", hint: mediumHint)
    }

    /// The failure that says that a call to the system has not come back.
    static func silent(_ path: LocalPath, for patience: Duration) -> UploadFailure {
        let (seconds, rest) = patience.components
        let time = rest == 0 ? "\(seconds)" : String(format: "%.1f", patience / .seconds(1))
        return UploadFailure(
            .sourceAway, "\(path.text): has not been read for \(time) s",
            hint: "see whether its disk or network share answers; it is tried again by itself")
    }

    /// What an error of the system means, of a file that is being opened.
    static func failure(_ path: LocalPath, opening code: CInt) -> UploadFailure {
        // Of a socket and of a device without a driver; of a file whose disk is gone as well.
        guard code == ENXIO, !SourceMedium.isRegularFile(path) else { return failure(path, code) }
        return unreadable(path, "is not a regular file")
    }

    /// What an error of the system means.
    static func failure(_ path: LocalPath, _ code: CInt) -> UploadFailure {
        switch code {
        case ENOENT, ENOTDIR: unreadable(path, "no such file")
        case EACCES, EPERM:
            unreadable(path, "permission denied", hint: "let this user read it (chmod, chown), then retry")
        case ELOOP: unreadable(path, "too many symbolic links")
        case ENAMETOOLONG: unreadable(path, "its path is too long")
        case EMFILE, ENFILE: .noDescriptor(code, for: path.text)
        case _ where SourceMedium.isTrouble(code): away(path, text(of: code))
        default: unreadable(path, text(of: code))
        }
    }

    private static let mediumHint = "bring the disk or network share back; it is tried again by itself"

    private static func text(of code: CInt) -> String { String(cString: strerror(code)).lowercased() }
}
