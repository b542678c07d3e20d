import FerryProtocols

extension Upload {
    /// The name of the upload's protocol. If the upload's protocol is `auto`, this is the protocol that `auto` has
    /// chosen. Before that choice, it is `auto`.
    public var protocolName: String {
        if let choice = resource?.choice { return choice.name }
        if case .done(let receipt, _) = state, let chosen = receipt.chosen { return chosen }
        return target.protocolName
    }

    /// True if the protocol of this upload lets a server confirm the received bytes by a digest. Also true while the
    /// protocol is `auto` and has not chosen another protocol yet.
    public var canBeVerified: Bool {
        ProtocolCatalog.entry(named: protocolName).map { !$0.traits.checksums.isEmpty } ?? false
    }

    /// True if an interrupted upload continues after the bytes that the server has confirmed. False if the protocol
    /// must start again at the first byte, at least with some servers. Also false while the protocol is `auto` and has
    /// not chosen another protocol yet.
    public var canResume: Bool {
        guard protocolName != AutoUpload.name else { return false }
        return ProtocolCatalog.entry(named: protocolName)?.traits.resumes ?? false
    }
}
