extension Model {
    /// In the details the cursor moves as in the list, so that they are of the next one then.
    ///
    /// - Parameter first: The line of them that is shown first.
    mutating func runInDetails(_ action: Action, from first: Int) -> [Effect] {
        let page = DetailsView(model: self).page(from: first)
        switch action {
        case .pageUp: dialog = .details(first: page.previous)
        case .pageDown: dialog = .details(first: page.next)
        case .previous: stepInDetails(by: -1)
        case .next: stepInDetails(by: 1)
        case .retry, .remove, .copy: return runOnShown(action)
        default: dialog = nil
        }
        return []
    }

    /// What is marked in the list is not what is looked at here.
    private mutating func runOnShown(_ action: Action) -> [Effect] {
        let marked = marks
        marks = []
        dialog = nil
        defer { marks = marked }
        return runInList(action)
    }

    private mutating func stepInDetails(by step: Int) {
        following = .nothing
        dialog = .details(first: 0)
        moveCursor(by: step)
    }
}
