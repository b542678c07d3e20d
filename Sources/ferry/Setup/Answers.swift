import ArgumentParser
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where the answers to questions come from.
protocol Answers: AnyObject {
    /// - Returns: The answer without white space around it; nil if there is none any more.
    func line(_ question: String) -> String?
    /// As `line`, and nobody sees what is typed.
    ///
    /// - Throws: `ExitCode` if the person leaves.
    func secret(_ question: String) throws(ExitCode) -> String?
    func say(_ text: String)
}

/// Those of a person at a terminal, or of a program that writes them to standard input, one a line.
final class StandardAnswers: Answers {
    func line(_ question: String) -> String? {
        ask(question)
        return readLine()?.trimmingCharacters(in: .whitespaces)
    }

    func secret(_ question: String) throws(ExitCode) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return line(question) }
        ask(question)
        return try HiddenInput.line()
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

    /// Not by `print`, which holds a line back until it ends.
    private func write(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8)) }
}

/// A line typed at the terminal that is not shown.
private enum HiddenInput {
    /// Without the terminal's signals: were the process ended meanwhile, the terminal would go on showing nothing.
    static func line() throws(ExitCode) -> String? {
        var before = termios()
        guard tcgetattr(STDIN_FILENO, &before) == 0 else { return nil }
        var hidden = before
        hidden.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { return nil }
        let ending = typed()
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
        try? FileHandle.standardOutput.write(contentsOf: Data("\n".utf8))
        switch ending {
        case .given(let text): return text
        case .nothing: return nil
        case .interrupted: throw ExitCode(CommandFailure.interrupted)
        }
    }

    private static func typed() -> TypedLine.Ending {
        var line = TypedLine()
        var byte: UInt8 = 0
        while true {
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return line.text.isEmpty ? .nothing : .given(line.text) }
            if let ending = line.take(byte) { return ending }
        }
    }
}
