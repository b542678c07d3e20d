/// The state of the Add dialog that remains when it is closed.
struct AddSettings: Sendable {
    var destinations: DestinationNames
    var lastDestination: String?
    /// The number of the most recent request. Results of older ones are ignored.
    private(set) var questions = 0

    init(_ destinations: DestinationNames) { self.destinations = destinations }

    var newDialog: AddDialog {
        AddDialog(destinations: destinations.all, preferred: lastDestination ?? destinations.preferred)
    }

    mutating func nextQuestion() -> Int {
        questions += 1
        return questions
    }
}

/// The parts of the screen's state that the Add dialog reads. It changes only `settings`.
struct AddSurroundings {
    var settings: AddSettings
    let table: UploadTable
    let size: Size
    let appearance: Appearance
    let now: Double

    func height(of add: AddDialog) -> Int { AddView(add: add, size: size, appearance: appearance).listHeight }

    func leftOutHeight(of add: AddDialog) -> Int {
        LeftOutView(add: add, size: size, appearance: appearance).height
    }
}
