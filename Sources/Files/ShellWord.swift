/// A word of a command line for a POSIX shell.
package enum ShellWord {
    /// Returns the text as one word of a shell command (XCU §2.2.2). Puts the text in single quotes if it is empty, or
    /// if it has characters other than letters, digits and `/._-+,:@%`.
    package static func quoted(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || "/._-+,:@%".unicodeScalars.contains($0)
        }
        return isPlain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
