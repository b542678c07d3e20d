package import FerryUploads

/// Why an order left uploads as they were, and what does what was meant: for people, who look at the state and not at
/// what an order is for.
package struct UnchangedNotes {
    package enum Order: Sendable { case pause, resume, retry, move }

    private static let rangesShown = 5

    private enum Cause: CaseIterable {
        case paused, offline, waiting, queued, planned, running, held, failed, done, inPlace

        init(_ upload: Upload) {
            self =
                switch upload.state {
                case .paused(.offline): .offline
                case .paused: .paused
                case .waiting: .waiting
                case .queued: upload.start == nil ? .queued : .planned
                case .running: .running
                case .held: .held
                case .failed: .failed
                case .done: .done
                }
        }

        func words(isOne: Bool) -> String {
            let verb = isOne ? "is" : "are"
            return switch self {
            case .paused: "\(verb) paused"
            case .offline: isOne ? "waits for the network" : "wait for the network"
            case .waiting: isOne ? "waits for its next try" : "wait for their next try"
            case .queued: "\(verb) queued"
            case .planned: isOne ? "waits for its start" : "wait for their start"
            case .running: "\(verb) running"
            case .held: "\(verb) held"
            case .failed: isOne ? "has failed" : "have failed"
            case .done: "\(verb) done"
            case .inPlace: isOne ? "is there already" : "are there already"
            }
        }
    }

    private let order: Order
    private let uploads: [Cause: [Upload.ID]]
    private let spelled: (String) -> String

    /// - Parameters:
    ///   - uploads: Those that were meant and not changed, as they are now.
    ///   - spelled: How people write a command such as `retry 5` where they read this.
    package init(_ order: Order, _ uploads: [Upload], spelled: @escaping (String) -> String) {
        self.order = order
        self.spelled = spelled
        let groups = Dictionary(grouping: uploads) { order == .move ? .inPlace : Cause($0) }
        self.uploads = groups.mapValues { $0.map(\.id) }
    }

    /// A sentence for all that are in the same way.
    package var sentences: [String] {
        Cause.allCases.compactMap { cause in uploads[cause].map { sentence(cause, $0) } }
    }

    private func sentence(_ cause: Cause, _ ids: [Upload.ID]) -> String {
        let numbers = UploadNumbers(joining: ids)
        let isFew = numbers.ranges.count <= Self.rangesShown
        let names = numbers.ranges.map(UploadNumbers.name).joined(separator: ", ")
        let what = isFew ? names : "\(ids.count) uploads"
        let next = next(cause, isFew ? " \(numbers.text)" : "", isOne: ids.count == 1)
        return "\(what) \(cause.words(isOne: ids.count == 1))" + (next.map { ": \($0)" } ?? "")
    }

    /// The command that does what may have been meant; nil if none does.
    private func next(_ cause: Cause, _ numbers: String, isOne: Bool) -> String? {
        let them = isOne ? "it" : "them"
        return switch (order, cause) {
        case (.retry, .paused): "\(spelled("resume\(numbers)")) lets \(them) go on"
        case (.retry, .planned), (.resume, .planned): "\(spelled("retry\(numbers)")) starts \(them) now"
        case (.resume, .waiting), (.resume, .offline): "\(spelled("retry\(numbers)")) tries now"
        case (.resume, .held), (.resume, .failed): "\(spelled("retry\(numbers)")) tries \(them) again"
        default: nil
        }
    }
}

extension UploadSelection {
    /// Whether `unchanged` may find any.
    package func mayHaveUnchanged(_ changed: [Upload.ID]) -> Bool {
        if case .ids(let ids) = self { !Set(ids).isSubset(of: changed) } else { changed.isEmpty }
    }

    /// Those that an order is for and that it has not changed, as far as that needs to be told: where it has changed some
    /// of a range, of a batch or of all, those were meant.
    package func unchanged(among uploads: [Upload], but changed: [Upload.ID]) -> [Upload] {
        let meant: Set<Upload.ID>
        switch self {
        case .ids(let ids): meant = Set(ids).subtracting(changed)
        case .numbers(let numbers) where changed.isEmpty:
            meant = Set(numbers.found(among: uploads.lazy.map(\.id)).ids)
        case .batch(let name) where changed.isEmpty: return uploads.filter { $0.batch == name }
        // What is over is not what anybody means who says so.
        case .all where changed.isEmpty: return uploads.filter { !$0.isDone }
        case .numbers, .batch, .all, .failed, .done: return []
        }
        return uploads.filter { meant.contains($0.id) }
    }
}
