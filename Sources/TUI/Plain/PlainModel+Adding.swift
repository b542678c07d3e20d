import FerryUploads

/// The command `add`. Each addition finds its files, then queues them, before the next begins.
extension PlainModel {
    private static let problemsShown = 5

    mutating func add(_ paths: String, to destination: String?) {
        let (destinations, preferred) = (model.adding.destinations.all, model.adding.destinations.preferred)
        let usual = preferred ?? (destinations.count == 1 ? destinations.first : nil)
        if destination == nil, usual == nil, !destinations.isEmpty {
            return say("add it where? end the line with to \(destinations.joined(separator: ", or to "))")
        }
        additions.append(
            Addition(
                paths: paths, destination: destination ?? usual ?? "",
                number: model.adding.nextQuestion()))
        if additions.count == 1 { look() }
    }

    private mutating func look() {
        guard let next = additions.first else { return }
        send(.preview(AddRequest(text: next.paths), number: next.number))
    }

    mutating func take(_ selection: FileSelection, number: Int) {
        guard let addition = additions.first, addition.number == number else { return }
        additions.removeFirst()
        let problems = selection.problems
        for problem in problems.prefix(Self.problemsShown) {
            say("left out: \(problem.path.text): \(problem.reason)")
        }
        if problems.count > Self.problemsShown {
            say("\(Strings.count(problems.count - Self.problemsShown)) more left out")
        }
        if selection.files.isEmpty {
            say("nothing to add")
        } else {
            awaited.append(Outcome(files: selection.files.count))
            send(.add(selection, destination: addition.destination))
        }
        look()
    }
}
