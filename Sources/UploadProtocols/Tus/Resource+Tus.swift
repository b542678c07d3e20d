/// What a tus upload must remember beside its address and its offset.
extension Resource {
    private enum Key {
        static let checksum = "checksum"
        static let isChecked = "checked"
        static let overridesMethod = "override"
        static let requestLimit = "requestLimit"
        static let mayBeJoined = "mayBeJoined"

        /// What holds for all parts of one upload.
        static let shared = [checksum, isChecked, overridesMethod, requestLimit, learntChunkField]
    }

    var sum: TusSum? {
        get {
            let words = fields[Key.checksum]?.split(separator: " ") ?? []
            guard words.count == 2, let algorithm = TusOffer.algorithm(named: String(words[0])),
                let chunk = ByteCount(words[1]), chunk > 0
            else { return nil }
            return TusSum(algorithm: algorithm, name: String(words[0]), chunk: chunk)
        }
        set {
            fields[Key.checksum] = newValue.map { "\($0.name) \($0.chunk)" }
            fields[Key.isChecked] = newValue.map { _ in "yes" }
        }
    }

    /// True while every byte at the server came in a request that it checked.
    var isChecked: Bool {
        get { fields[Key.isChecked] != nil }
        set { fields[Key.isChecked] = newValue ? "yes" : nil }
    }

    /// True if POST stands for PATCH and DELETE.
    var overridesMethod: Bool {
        get { fields[Key.overridesMethod] != nil }
        set { fields[Key.overridesMethod] = newValue ? "yes" : nil }
    }

    /// Bytes: requests beyond it were refused.
    var requestLimit: ByteCount? {
        get { count(Key.requestLimit) }
        set { fields[Key.requestLimit] = newValue.map { "\($0)" } }
    }

    /// True if a server in trouble was asked to put the parts together: if they are gone, it may have done so.
    var mayBeJoined: Bool {
        get { fields[Key.mayBeJoined] != nil }
        set { fields[Key.mayBeJoined] = newValue ? "yes" : nil }
    }

    /// Takes over what was decided or found out with another part of the same upload.
    mutating func share(_ other: Resource) {
        for key in Key.shared { fields[key] = other.fields[key] }
    }
}
