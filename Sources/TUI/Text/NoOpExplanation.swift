package import FerryUploads

/// Explains why a command left uploads unchanged, and names the command that was probably meant.
package struct NoOpExplanation {
    package enum Command: Codable, Sendable { case pause, resume, retry, move }

    private static let rangesShown = 5

    /// An upload that a command left unchanged, with the cause.
    package struct Unchanged: Sendable {
        fileprivate let id: Upload.ID
        fileprivate let cause: Cause

        package init(_ upload: Upload, by command: Command) {
            id = upload.id
            let isPlanned = upload.state == .queued && upload.start != nil
            cause = command == .move ? .alreadyThere : isPlanned ? .planned : .state(StateKind(upload.state))
        }
    }

    fileprivate enum Cause: Hashable {
        case state(StateKind)
        case planned, alreadyThere

        /// The causes in the sequence of their sentences.
        static let all: [Cause] = [
            .state(.paused), .state(.offline), .state(.waiting), .state(.queued), .planned, .state(.running),
            .state(.held), .state(.failed), .state(.done), .alreadyThere,
        ]

        func words(isOne: Bool) -> String {
            switch self {
            case .state(.offline): isOne ? "waits for the network" : "wait for the network"
            case .state(.waiting): isOne ? "waits for its next try" : "wait for their next try"
            case .planned: isOne ? "waits for its start" : "wait for their start"
            case .state(.failed): isOne ? "has failed" : "have failed"
            case .alreadyThere: isOne ? "is there already" : "are there already"
            case .state(let kind): "\(isOne ? "is" : "are") \(kind)"
            }
        }
    }

    private let command: Command
    private let uploads: [Cause: [Upload.ID]]
    private let spelled: (String) -> String

    package init(_ command: Command, _ uploads: [Upload], spelled: @escaping (String) -> String) {
        self.init(command, unchanged: uploads.map { Unchanged($0, by: command) }, spelled: spelled)
    }

    package init(_ command: Command, unchanged: [Unchanged], spelled: @escaping (String) -> String) {
        self.command = command
        self.spelled = spelled
        uploads = Dictionary(grouping: unchanged, by: \.cause).mapValues { $0.map(\.id) }
    }

    /// One sentence for each cause, about all uploads with that cause.
    package var sentences: [String] {
        Cause.all.compactMap { cause in uploads[cause].map { sentence(cause, $0) } }
    }

    private func sentence(_ cause: Cause, _ ids: [Upload.ID]) -> String {
        let numbers = UploadNumbers(joining: ids)
        let isFew = numbers.ranges.count <= Self.rangesShown
        let names = numbers.ranges.map(UploadNumbers.name).joined(separator: ", ")
        let what = isFew ? names : "\(ids.count) uploads"
        let next = next(cause, isFew ? " \(numbers.text)" : "", isOne: ids.count == 1)
        return "\(what) \(cause.words(isOne: ids.count == 1))" + (next.map { ": \($0)" } ?? "")
    }

    /// Returns the command that was probably meant: `retry 5 starts it now`.
    private func next(_ cause: Cause, _ numbers: String, isOne: Bool) -> String? {
        let them = isOne ? "it" : "them"
        return switch (command, cause) {
        case (.retry, .state(.paused)): "\(spelled("resume\(numbers)")) resumes \(them)"
        case (.retry, .planned), (.resume, .planned): "\(spelled("retry\(numbers)")) starts \(them) now"
        case (.resume, .state(.waiting)), (.resume, .state(.offline)):
            "\(spelled("retry\(numbers)")) tries now"
        case (.resume, .state(.held)), (.resume, .state(.failed)):
            "\(spelled("retry\(numbers)")) tries \(them) again"
        default: nil
        }
    }
}

extension UploadSelection {
    /// Returns true if the user possibly needs an explanation why uploads stayed unchanged.
    package func mayHaveUnchanged(_ changed: [Upload.ID]) -> Bool {
        if case .ids(let ids) = self { !Set(ids).isSubset(of: changed) } else { changed.isEmpty }
    }

    /// Returns the chosen uploads for which the user needs an explanation why they are unchanged.
    package func unchanged(among uploads: [Upload], but changed: [Upload.ID]) -> [Upload] {
        uploads.filter(needsExplanation(but: changed))
    }

    /// Returns a function that is true for an upload for which the user needs an explanation. A selection by id needs
    /// one for each unchanged upload; others only if nothing changed; `failed` and `done` never.
    package func needsExplanation(but changed: [Upload.ID]) -> (Upload) -> Bool {
        switch self {
        case .ids(let ids):
            let meant = Set(ids).subtracting(changed)
            return { meant.contains($0.id) }
        case .numbers(let numbers) where changed.isEmpty:
            return { upload in numbers.ranges.contains { $0.contains(upload.id) } }
        case .batch(let name) where changed.isEmpty: return { $0.batch == name }
        // A user who says "all" does not mean done uploads.
        case .all where changed.isEmpty: return { !$0.isDone }
        case .numbers, .batch, .all, .failed, .done: return { _ in false }
        }
    }
}
