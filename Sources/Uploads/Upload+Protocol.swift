import FerryProtocols

extension Upload {
    /// The name of the upload's protocol. For `auto`, the protocol that was chosen; `auto` while the choice is unknown.
    public var protocolName: String {
        if let choice = resource?.choice { return choice.name }
        if case .done(let receipt, _) = state, let chosen = receipt.chosen { return chosen }
        return target.method
    }

    /// True if the upload's protocol lets a server confirm the stored bytes by a digest. Also true while the choice of
    /// `auto` is unknown.
    public var canBeVerified: Bool {
        ProtocolCatalog.entry(named: protocolName).map { !$0.traits.checksums.isEmpty } ?? false
    }

    /// True if an interruption loses no bytes that the server has stored. False while the choice of `auto` is unknown:
    /// such an upload has nothing to resume.
    public var canResume: Bool {
        guard protocolName != AutoUpload.name else { return false }
        return ProtocolCatalog.entry(named: protocolName)?.traits.resumes ?? false
    }
}
