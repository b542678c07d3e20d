import FerryProtocols
import FerryUploads

/// The dialog that asks for the bandwidth limit or the maximum number of uploads at once.
struct PromptDialog: Sendable {
    enum Subject: Sendable { case bandwidth, concurrency }

    let subject: Subject
    private(set) var line: LineEditor
    /// True while the line shows the current limit, which the first typed character replaces.
    private var isOffered = true
    private(set) var issue: String?

    init(_ subject: Subject, offering value: String) {
        self.subject = subject
        line = LineEditor(value)
    }

    mutating func edit(_ key: Key) {
        var line = line
        if isOffered {
            switch key {
            case .character, .paste, .backspace, .delete, .control("h"), .control("d"): line = LineEditor()
            default: break
            }
        }
        guard line.handle(key) else { return }
        (self.line, isOffered, issue) = (line, false, nil)
    }

    mutating func update(_ action: Action) -> DialogOutcome {
        guard action == .confirm else { return .close() }
        let text = line.text.filter { !$0.isWhitespace }
        switch subject {
        case .bandwidth:
            // Confirming the current limit changes nothing, whether a command or the configuration set it.
            if isOffered { return .close() }
            do throws(UploadFailure) {
                let bandwidth = try text.isEmpty ? .unlimited : Bandwidth.parse(text)
                return .close(
                    nil, [.perform(.limitBandwidth(bandwidth, .total), .limitBandwidth(bandwidth))])
            } catch {
                issue = "not an amount; try 20M, 800K, off or auto"
            }
        case .concurrency:
            if let number = Int(text), QueueSettings.slotCounts.contains(number) {
                return .close(nil, [.perform(.limitConcurrency(number), .limitConcurrency(number))])
            }
            issue = "not a number from 1 to \(QueueSettings.slotCounts.upperBound)"
        }
        return .stay()
    }
}
