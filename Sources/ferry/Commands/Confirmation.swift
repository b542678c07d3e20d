import FerryFiles

/// A question that a command asks at a terminal before it acts.
struct Confirmation {
    let question: String
    let refusal: String

    static var isPossible: Bool { StandardStream.input.isTerminal && StandardStream.errors.isTerminal }

    /// Asks the question and returns true if the user agrees. Without a terminal, returns true without a question.
    var userAgrees: Bool {
        guard Self.isPossible else { return true }
        StandardError.write("\(question) [y/N] ")
        let isYes = ["y", "yes"].contains(readLine()?.lowercased())
        if !isYes { StandardError.write("\(refusal)\n") }
        return isYes
    }
}
