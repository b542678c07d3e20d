import FerryUploads

/// The question before a removal that deletes data on a server. The targets stay the same while it is open.
struct RemovalDialog: Sendable {
    let targets: [Upload.ID]
    /// The name of a single target.
    let name: String?
    /// The number of targets with bytes or an upload resource on a server.
    let onServer: Int
    /// The estimated bytes on the servers.
    let bytes: Int128
    let openedAt: Double

    func update(_ action: Action) -> DialogOutcome {
        guard action == .removeNow else { return .close("nothing was removed") }
        return .close(nil, [.perform(.remove(.ids(targets)), .remove(name: name))])
    }
}

/// The question before an undo.
struct UndoDialog: Sendable {
    let offer: UndoOffer
    let openedAt: Double

    func update(_ action: Action) -> DialogOutcome {
        guard action == .confirm else { return .close("nothing was undone") }
        return .close(nil, [.perform(.undoCommand(offer.number), .undo)])
    }
}
