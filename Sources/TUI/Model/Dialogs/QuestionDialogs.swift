import FerryUploads

/// The question before a removal of uploads (the targets) that deletes data on a server. The targets do not change
/// while the dialog is open.
struct RemovalDialog: Sendable {
    let targets: [Upload.ID]
    /// The name of the file if there is one target; nil for several targets.
    let name: String?
    /// The number of targets that have bytes or an upload resource on a server.
    let onServer: Int
    /// The estimated number of bytes that the servers store of all targets together.
    let bytes: Int128
    let openedAt: Double

    func update(_ action: Action) -> DialogOutcome {
        guard action == .removeNow else { return .close("nothing was removed") }
        return .close(nil, [.perform(.remove(.ids(targets)), .remove(name: name))])
    }
}

/// The question whether to carry out an undo. It describes the change that the undo would make (`offer`).
struct UndoDialog: Sendable {
    let offer: UndoOffer
    let openedAt: Double

    func update(_ action: Action) -> DialogOutcome {
        guard action == .confirm else { return .close("nothing was undone") }
        return .close(nil, [.perform(.undoCommand(offer.number), .undo)])
    }
}
