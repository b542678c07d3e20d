extension Model {
    /// In the details the cursor moves as in the list, so that they are of the next one then.
    mutating func runInDetails(_ action: Action) -> [Effect] {
        switch action {
        case .previous: stepInDetails(by: -1)
        case .next: stepInDetails(by: 1)
        default: dialog = nil
        }
        return []
    }

    private mutating func stepInDetails(by step: Int) {
        following = .nothing
        moveCursor(by: step)
    }
}
