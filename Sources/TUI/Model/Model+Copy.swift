import FerryProtocols
import FerryTransfer
import FerryUploads

/// What is to be copied of the uploads that were under the finger when it was asked.
struct CopyDialog: Sendable {
    let targets: [Upload.ID]
    /// Of the one target, if it is one.
    let name: String?
}

extension Model {
    /// Terminals take about 74,000 bytes of base64 (xterm's limit, also tmux's); more is cut off or ignored.
    static let mostCopied = 48 << 10

    mutating func openCopyDialog() {
        let targets = targets
        guard !targets.isEmpty else { return }
        dialog = .copy(
            CopyDialog(
                targets: targets.map(\.id), name: targets.count == 1 ? targets.first?.path.name : nil))
    }

    mutating func run(_ action: Action, in copy: CopyDialog) -> [Effect] {
        dialog = nil
        let uploads = copy.targets.compactMap { table[$0] }
        let (what, lines): (String, [String]) =
            switch action {
            case .copyPath: ("path", uploads.map(\.path.text))
            case .copyAddress: ("URL", uploads.map(Self.address))
            case .copyError: ("error", uploads.compactMap(Self.error))
            default: ("", [])
            }
        guard action != .cancel else { return [] }
        guard !lines.isEmpty else {
            return refuse(action == .copyError ? "nothing went wrong here" : "nothing is here any more")
        }
        let text = lines.map(Self.harmless).joined(separator: "\n")
        guard text.utf8.count <= Self.mostCopied else {
            return refuse("too much for a clipboard; mark fewer, or use ferry list --json")
        }
        say(
            .information,
            "the \(what)\(lines.count == 1 ? "" : "s of \(lines.count)") went to the terminal's clipboard")
        return [.copy(text)]
    }

    /// A name or an answer with a line break in it would run what follows when it is pasted into a shell: where there are
    /// control characters, what the screen shows is copied.
    private static func harmless(_ line: String) -> String {
        let hasControls = line.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return hasControls ? SafeText(line).text : line
    }

    /// Where the file is if the server said so, else where it goes; never what an unfinished upload is continued by, which
    /// may be a permission in itself.
    private static func address(_ upload: Upload) -> String {
        if case .done(let receipt, _) = upload.state, let location = receipt.location { return location }
        return upload.target.url
    }

    private static func error(_ upload: Upload) -> String? {
        switch upload.state {
        case .held(let failure), .failed(let failure), .waiting(_, let failure):
            [failure.summary, failure.hint].compactMap { $0 }.joined(separator: "; ")
        case .queued, .running, .paused, .done: nil
        }
    }
}
