package import FerryUploads

/// Explains why a command left uploads unchanged, and names the command that was probably meant.
package struct NoOpExplanation {
    package enum Command: Codable, Sendable { case pause, resume, retry, move }

    private static let rangesShown = 5

    /// The causes in the sequence of their sentences.
    private enum Cause: Int, CaseIterable {
        case paused, offline, waiting, queued, planned, running, held, failed, done, alreadyThere

        init(_ state: Upload.State) {
            self =
                switch StateKind(state) {
                case .paused: .paused
                case .offline: .offline
                case .waiting: .waiting
                case .queued: .queued
                case .running: .running
                case .held: .held
                case .failed: .failed
                case .done: .done
                }
        }

        func words(isOne: Bool) -> String {
            switch self {
            case .offline: isOne ? "waits for the network" : "wait for the network"
            case .waiting: isOne ? "waits for its next try" : "wait for their next try"
            case .planned: isOne ? "waits for its start" : "wait for their start"
            case .failed: isOne ? "has failed" : "have failed"
            case .alreadyThere: isOne ? "is there already" : "are there already"
            case .paused, .queued, .running, .held, .done: "\(isOne ? "is" : "are") \(self)"
            }
        }
    }

    private let command: Command
    /// The unchanged uploads of each cause.
    private var uploads = [[Upload.ID]](repeating: [], count: Cause.allCases.count)
    private let spelled: (String) -> String

    package init(_ command: Command, _ uploads: [Upload] = [], spelled: @escaping (String) -> String) {
        self.command = command
        self.spelled = spelled
        for upload in uploads { add(upload) }
    }

    /// Adds an upload that the command left unchanged.
    package mutating func add(_ upload: borrowing Upload) {
        var cause = command == .move ? Cause.alreadyThere : Cause(upload.state)
        if cause == .queued, upload.start != nil { cause = .planned }
        uploads[cause.rawValue].append(upload.id)
    }

    /// One sentence for each cause, about all uploads with that cause.
    package var sentences: [String] {
        zip(Cause.allCases, uploads).compactMap { cause, ids in ids.isEmpty ? nil : sentence(cause, ids) }
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
        case (.retry, .paused): "\(spelled("resume\(numbers)")) resumes \(them)"
        case (.retry, .planned), (.resume, .planned): "\(spelled("retry\(numbers)")) starts \(them) now"
        case (.resume, .waiting), (.resume, .offline):
            "\(spelled("retry\(numbers)")) tries now"
        case (.resume, .held), (.resume, .failed):
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
        let isMeant = needsExplanation(but: changed)
        return uploads.filter { isMeant($0) }
    }

    /// Returns a function that is true for an upload for which the user needs an explanation. A selection by id needs
    /// one for each unchanged upload; others only if nothing changed; `failed` and `done` never.
    package func needsExplanation(but changed: [Upload.ID]) -> (borrowing Upload) -> Bool {
        switch self {
        case .ids(let ids):
            let meant = Set(ids).subtracting(changed)
            return { meant.contains($0.id) }
        case .numbers(let numbers) where changed.isEmpty:
            return { upload in
                let id = upload.id
                return numbers.ranges.contains { $0.contains(id) }
            }
        case .batch(let name) where changed.isEmpty: return { $0.batch == name }
        // A user who says "all" does not mean done uploads.
        case .all where changed.isEmpty: return { !$0.isDone }
        case .numbers, .batch, .all, .failed, .done: return { _ in false }
        }
    }
}
