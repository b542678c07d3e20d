import FerryProtocols

extension Upload {
    /// The protocol that carries it: of `auto`, the one that was chosen as far as that is known.
    public var protocolName: String {
        if let choice = resource?.choice { return choice.name }
        if case .done(let receipt, _) = state, let chosen = receipt.chosen { return chosen }
        return target.method
    }

    /// True if its protocol has a way in which a server can tell a checksum of what it holds.
    public var canBeVerified: Bool {
        ProtocolCatalog.entry(named: protocolName).map { !$0.traits.checksums.isEmpty } ?? false
    }

    /// True if an interruption costs nothing of what the server holds. Where nothing is known of what `auto` chose,
    /// there is nothing that could go on.
    public var canResume: Bool {
        guard protocolName != AutoUpload.name else { return false }
        return ProtocolCatalog.entry(named: protocolName)?.traits.resumes ?? false
    }
}
