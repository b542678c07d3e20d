import FerryProtocols
import FerryUploads

/// The dialog that asks what to copy of the chosen uploads: paths, URLs or errors.
struct CopyDialog: Sendable {
    let targets: [Upload.ID]
    let name: String?

    /// The maximum number of bytes to copy. Terminals accept about 74,000 bytes of base64 (xterm, tmux).
    static let mostCopied = 48 << 10

    func update(_ action: Action, table: UploadTable) -> DialogOutcome {
        let uploads = targets.compactMap { table[$0] }
        let (what, lines): (String, [String]) =
            switch action {
            case .copyPath: ("path", uploads.map(\.path.text))
            case .copyAddress: ("URL", uploads.map(Self.address))
            case .copyError: ("error", uploads.compactMap(\.failure?.sentence))
            default: ("", [])
            }
        guard action != .cancel else { return .close() }
        guard !lines.isEmpty else {
            return .close(action == .copyError ? "no error to copy" : "nothing is here any more")
        }
        let text = lines.map(Self.harmless).joined(separator: "\n")
        guard text.utf8.count <= Self.mostCopied else {
            return .close("too much for a clipboard; mark fewer, or use `ferry list --json`")
        }
        let sentence =
            "copied the \(what)\(lines.count == 1 ? "" : "s of \(lines.count)") to the terminal's clipboard"
        return .close(sentence, [.copy(text)])
    }

    /// Returns the line with its control characters escaped: a pasted line break would run commands.
    private static func harmless(_ line: String) -> String {
        let hasControls = line.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return hasControls ? SafeText(line).text : line
    }

    /// Returns the location or the destination's URL, never an upload resource's, which can act as a credential.
    private static func address(_ upload: Upload) -> String {
        if case .done(let receipt, _) = upload.state, let location = receipt.location { return location }
        return upload.target.url
    }
}
