import FerryProtocols
import FerryQueueSimulation
import FerryTransfer
import FerryUploads

/// A command of a user, stored until its reply arrives.
struct Order {
    enum Kind {
        case add, pause, resume, retry, remove, move, limit
        case back(UndoStack.Direction, UndoStack.Entry)
    }

    var kind: Kind
    var ids: [Upload.ID] = []
}

/// The commands of users, sent to the queue as its shell does.
extension Simulation {
    mutating func order() {
        let known = uploads.keys.sorted()
        guard !known.isEmpty, !happens(14) else { return add(number(in: 1...3)) }
        let chosen = selection(of: known)
        guard let ids = try? engine?.core.ids(chosen) else { return }
        switch number(in: 0...99) {
        case 0..<20: ask(.pause, ids) { .change(ids, .pause) }
        case 20..<45: resume(ids)
        case 45..<63: retry(ids, isChosen: ids.count < 3)
        case 63..<70:
            judge.removing(ids)
            ask(.remove, ids) { .remove(ids) }
        case 70..<78:
            let move = QueueMove.allCases.randomElement(using: &random) ?? .top
            ask(.move, ids) { .move(ids, move) }
        case 78..<83:
            let count = number(in: 1...6)
            judge.ceiling = max(judge.ceiling, count)
            ask(.limit) { .limitConcurrency(count) }
        case 83..<86:
            let rate = ByteCount(number(in: 100_000...10 << 20))
            ask(.limit) { .limitBandwidth(.atMost(rate), .total) }
        case 86..<93: goBack(.undo)
        case 93..<96: goBack(.redo)
        default:
            judge.forced()
            send(.tryNow)
            send(.advance)
        }
    }

    var uploads: [Upload.ID: Upload] { engine.map { QueueInspection($0.core, at: moment).uploads } ?? [:] }

    private mutating func selection(of ids: [Upload.ID]) -> UploadSelection {
        switch number(in: 0...9) {
        case 0: .all
        case 1: .failed
        case 2: .done
        default: .ids(Array(ids.shuffled(using: &random).prefix(number(in: 1...2))))
        }
    }

    mutating func resume(_ ids: [Upload.ID]) { ask(.resume, ids) { .change(ids, .resume) } }

    mutating func retry(_ ids: [Upload.ID], isChosen: Bool) {
        let files = ids.compactMap { id in
            uploads[id].flatMap { identity(of: Int($0.identity.inode)) }.map { (id, $0) }
        }
        let change = UploadChange.retry(
            identities: Dictionary(uniqueKeysWithValues: files), startsEarly: isChosen)
        judge.retried(ids.compactMap { uploads[$0] })
        judge.forced()
        send(.force)
        ask(.retry, ids) { .change(ids, change) }
    }

    mutating func add(_ count: Int) {
        let new = (0..<count).map { _ in newUpload() }
        log.add("add", count) { new.map { "\($0.target.url) \($0.identity.size)" }.joined(separator: ", ") }
        ask(.add) { .add(new, .all) }
    }

    private mutating func newUpload() -> NewUpload {
        let file = files.count + 1
        let sizes: [ByteCount] = [0, 1, 1000, 70_000, 700_000, 3 << 20, 9 << 20, 22 << 20]
        let size = sizes.randomElement(using: &random) ?? 1
        files[file] = File(version: 1, size: size)
        let site = sites[active[number(in: 0...active.count - 1)]]
        return NewUpload(
            path: LocalPath("/files/\(file)"),
            identity: FileIdentity(device: 1, inode: UInt64(file), size: size, modified: 1, changed: 1),
            target: .init(destination: "", url: site.url, protocolName: site.protocolName, name: "\(file)"))
    }

    private mutating func goBack(_ direction: UndoStack.Direction) {
        guard let entry = engine?.core.undo.next(direction), let core = engine?.core else { return }
        let transaction = entry.action.transaction(in: core)
        judge.undone()
        log.add("back", 0, 0) { "\(entry.action)" }
        ask(.command(Order(kind: .back(direction, entry)))) { .transaction(transaction, $0) }
    }

    private mutating func ask(_ kind: Order.Kind, _ ids: [Upload.ID] = [], _ transaction: () -> Transaction) {
        log.add("order", ids.first ?? 0, ids.count) { "\(kind) \(ids)" }
        let transaction = transaction()
        ask(.command(Order(kind: kind, ids: ids))) { .transaction(transaction, $0) }
    }

    /// Handles the reply to a command. The judge checks its promises from now on.
    mutating func answered(_ order: Order, _ result: Result<TransactionResult, UploadFailure>) {
        defer { send(.advance) }
        switch (order.kind, result) {
        case (.back(let direction, let entry), .failure): engine?.core.undo.failed(direction, entry)
        case (_, .failure(let failure)): log.add("refused", 0, 0) { failure.summary }
        case (.back(let direction, let entry), .success(let result)):
            guard let action = entry.action.opposite(result.undo), !action.isEmpty else { return }
            engine?.core.undo.went(direction, entry, action: action)
        case (let kind, .success(let result)):
            judge.answered(kind, result.ids)
            if let undo = result.undo { send(.commanded(undo)) }
        }
    }
}
