import FerryTransfer
import FerryUploads

/// Files that are added: one line after the other, each looked for before it is queued.
extension PlainModel {
    private static let problemsShown = 5

    mutating func add(_ paths: String, to destination: String?) {
        let destinations = model.destinations
        let usual = model.defaultDestination ?? (destinations.count == 1 ? destinations.first : nil)
        if destination == nil, usual == nil, !destinations.isEmpty {
            say("add it where? end the line with to \(destinations.joined(separator: ", or to "))")
            return
        }
        model.questions += 1
        additions.append(
            Addition(paths: paths, destination: destination ?? usual ?? "", number: model.questions))
        if additions.count == 1 { look() }
    }

    private mutating func look() {
        guard let next = additions.first else { return }
        order(.preview(AddRequest(text: next.paths), number: next.number))
    }

    mutating func take(_ selection: FileSelection, number: Int) {
        guard let addition = additions.first, addition.number == number else { return }
        additions.removeFirst()
        let problems = selection.problems
        for problem in problems.prefix(Self.problemsShown) {
            say("left out: \(problem.path.text): \(problem.reason)")
        }
        if problems.count > Self.problemsShown {
            say("\(Wording.count(problems.count - Self.problemsShown)) more left out")
        }
        if selection.files.isEmpty {
            say("nothing to add")
        } else {
            awaited.append(Answer(files: selection.files.count))
            order(.add(selection, destination: addition.destination))
        }
        look()
    }
}
