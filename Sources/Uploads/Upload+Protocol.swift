import FerryProtocols

extension Upload {
    /// The name of the upload's protocol, or of the protocol that `auto` has chosen.
    public var protocolName: String {
        if let choice = resource?.choice { return choice.name }
        if case .done(let receipt, _) = state, let chosen = receipt.chosen { return chosen }
        return target.protocolName
    }

    /// True if a server can confirm the bytes by a digest, or if `auto` has not chosen a protocol yet.
    public var canBeVerified: Bool {
        ProtocolCatalog.entry(named: protocolName).map { !$0.traits.checksums.isEmpty } ?? false
    }

    /// True if an interrupted upload continues after the confirmed bytes, at all servers. False while `auto` has not
    /// chosen a protocol yet.
    public var canResume: Bool {
        guard protocolName != AutoUpload.name else { return false }
        return ProtocolCatalog.entry(named: protocolName)?.traits.resumes ?? false
    }
}
