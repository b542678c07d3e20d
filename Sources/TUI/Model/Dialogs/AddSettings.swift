/// The settings of the Add dialog that remain when the dialog is closed and opened again.
struct AddSettings: Sendable {
    var destinations: [String]
    var defaultDestination: String?
    /// The destination to which the user most recently added files; nil before the first addition.
    var lastDestination: String?
    /// The number of the Add dialog's most recent request, such as a search for the chosen files. Each result has the
    /// number of its request, so that the dialog can ignore outdated results.
    private(set) var questions = 0

    init(destinations: [String], defaultDestination: String?) {
        self.destinations = destinations
        self.defaultDestination = defaultDestination
    }

    var newDialog: AddDialog {
        AddDialog(destinations: destinations, preferred: lastDestination ?? defaultDestination)
    }

    mutating func nextQuestion() -> Int {
        questions += 1
        return questions
    }
}

/// The parts of the screen's state that the Add dialog reads. The dialog changes only `settings`.
struct AddSurroundings {
    var settings: AddSettings
    let table: UploadTable
    let size: Size
    let appearance: Appearance
    let now: Double

    /// Returns the number of rows of the dialog's list; 0 if the screen has no room for the list.
    func height(of add: AddDialog) -> Int {
        AddView(add: add, size: size, appearance: appearance).listHeight
    }

    func leftOutHeight(of add: AddDialog) -> Int {
        LeftOutView(add: add, size: size, appearance: appearance).height
    }
}
