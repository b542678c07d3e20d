import FerryProtocols
import FerryTransfer
import FerryUploads

/// The dialog that asks for a value.
struct PromptDialog: Sendable {
    enum Subject: Sendable { case bandwidth, concurrency }

    /// The content of the field.
    enum Entry: Hashable, Sendable {
        /// The current value. The first typed character replaces it.
        case offered(String)
        case typed(LineEditor)
    }

    let subject: Subject
    var entry: Entry
    /// The reason why the text is not accepted.
    private(set) var issue: String?

    init(_ subject: Subject, offering value: String) {
        self.subject = subject
        entry = .offered(value)
    }

    var line: LineEditor {
        switch entry {
        case .offered(let value): LineEditor(value)
        case .typed(let line): line
        }
    }

    mutating func edit(_ key: Key) {
        var line = line
        if case .offered = entry {
            switch key {
            case .character, .backspace, .delete, .control("h"), .control("d"): line = LineEditor()
            default: break
            }
        }
        guard line.handle(key) else { return }
        entry = .typed(line)
        issue = nil
    }

    mutating func insert(_ text: String) {
        var line = line
        if case .offered = entry { line = LineEditor() }
        line.insert(text)
        entry = .typed(line)
        issue = nil
    }

    mutating func update(_ action: Action) -> DialogOutcome {
        guard action == .confirm else { return .close() }
        let text = line.text.filter { !$0.isWhitespace }
        switch subject {
        case .bandwidth:
            // The offered limit stays in effect, whatever its origin.
            if case .offered = entry { return .close() }
            do throws(UploadFailure) {
                let bandwidth = try text.isEmpty ? .unlimited : Bandwidth.ordered(text)
                return .close(
                    nil, [.perform(.limitBandwidth(bandwidth, .total), .limitBandwidth(bandwidth))])
            } catch {
                issue = "not an amount; try 20M, 800K, off or auto"
            }
        case .concurrency:
            if let number = Int(text), (1...256).contains(number) {
                return .close(nil, [.perform(.limitConcurrency(number), .limitConcurrency(number))])
            }
            issue = "not a number from 1 to 256"
        }
        return .stay()
    }
}
