import ArgumentParser
import FerryFiles

protocol Prompt: AnyObject {
    /// Asks a question. Returns the answer without surrounding white space; nil after the end of the input.
    func line(_ question: String) -> String?
    /// Asks a question whose answer is not shown. Returns nil after the end of the input, and throws after Ctrl-C.
    func secret(_ question: String) throws(ExitCode) -> String?
    func say(_ text: String)
}

/// The dialog on standard input and output.
final class TerminalPrompt: Prompt {
    func line(_ question: String) -> String? {
        ask(question)
        return readLine()?.trimmed()
    }

    func secret(_ question: String) throws(ExitCode) -> String? {
        guard StandardStream.input.isTerminal else { return line(question) }
        func show() { ask(question) }
        var line = TypedLine()
        var ending: TypedLine.Ending?
        let isTyped = StandardStream.input.readHidden(asking: show) { byte in
            ending = line.take(byte)
            return ending == nil
        }
        guard isTyped else { return nil }
        write("\n")
        switch ending ?? (line.text.isEmpty ? .nothing : .given(line.text)) {
        case .given(let text): return text
        case .nothing: return nil
        case .interrupted: throw ExitCode(128 + Signal.interrupt)
        }
    }

    func say(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            ask(SafeLine.text(String(line)))
            write("\n")
        }
    }

    private func ask(_ question: String) {
        guard let columns = WordWrap.terminalColumns else { return write(question) }
        write(WordWrap.lines(question, columns: columns).joined(separator: "\n"))
    }

    /// Writes the text at once. `print` would buffer it until the end of a line.
    private func write(_ text: String) { StandardStream.output.write(text) }
}
