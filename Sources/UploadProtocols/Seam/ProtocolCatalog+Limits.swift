extension ProtocolCatalog.Entry {
    /// Returns the failure for an existing-file policy, checksum or parallel requests that the protocol does not
    /// support.
    public func refusal(of options: ProtocolOptions) -> UploadFailure? {
        if let policy = options.existing, !traits.existing.contains(policy) {
            let able = ExistingFilePolicy.allCases.filter(traits.existing.contains).map(\.rawValue)
            return able.isEmpty
                ? refusal("cannot know what is there, so it cannot \(policy.rawValue)", "leave ifExists out")
                : refusal(
                    "cannot \(policy.rawValue) what is there", "set ifExists to \(Self.choice(of: able))")
        }
        if let checksum = options.checksum, !traits.checksums.contains(checksum) {
            let able = DigestAlgorithm.allCases.filter(traits.checksums.contains).map(\.rawValue)
            return able.isEmpty
                ? refusal(
                    "has no way to have what arrived confirmed (\(checksum.shown))", "leave checksum out")
                : refusal(
                    "cannot have what arrived confirmed by \(checksum.shown)",
                    "set checksum to \(Self.choice(of: able))")
        }
        if options.parallelRequests ?? 1 > 1, !traits.isParallel {
            return refusal("makes one request at a time", "leave parallel out, or set it to 1")
        }
        return nil
    }

    private func refusal(_ what: String, _ hint: String) -> UploadFailure {
        UploadFailure(.permanent, "the protocol \(name) \(what)", hint: hint)
    }

    private static func choice(of names: [String]) -> String {
        names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
    }
}
