import HTTPTypes
import UploadProtocols

extension RequestSummary {
    /// The request as a curl command that can be pasted into a shell, secrets cut.
    ///
    /// The body is named by its size only: `--data-binary @BODY  # 1048576 bytes`.
    public var curlCommand: String {
        var words = ["curl -v"]
        words.append(method == .head ? "-I" : "-X \(Self.quoted(method.rawValue))")
        words += fields.map { "-H \(Self.quoted("\($0.name.rawName): \($0.value)"))" }
        if bodyLength != 0 { words.append("--data-binary @BODY") }
        words.append(Self.quoted(url))
        let note = bodyLength.map { $0 > 0 ? "  # \($0) bytes" : "" } ?? "  # as many bytes as there are"
        return words.joined(separator: " \\\n    ") + note
    }

    /// One word for a POSIX shell, whatever is in it (XCU §2.2.2).
    private static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
