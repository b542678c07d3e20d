/// Decides whether a file is sent, and under which name, by the policy and the lookups of the caller.
struct ExistingChoice: Sendable {
    /// The next step of the caller: look up a name on the server, send the file, or end the upload.
    enum Verdict: Sendable {
        /// Look up this name on the server, and compute these digests of the local file.
        case look(name: String, digests: [DigestRequest] = [])
        /// Send the file under this name. If `replaces` is true, the file is allowed to replace an existing one.
        case free(name: String, replaces: Bool)
        /// The server already has the file under this name, so nothing is sent. The caller adds the location to the
        /// receipt. Its `wasThere` is false if an earlier attempt of this upload sent the file.
        case finished(name: String, Receipt)
        case failed(UploadFailure)
    }

    /// The facts about an earlier attempt that began to send the local file.
    struct Begun: Hashable, Sendable {
        var name: String
        /// True if the server possibly has the whole file, although the attempt received no response.
        var mayBeComplete: Bool
    }

    private enum Phase: Sendable {
        case checkingOwn(Begun)
        case asking(name: String, number: Int)
        case comparing(name: String, isOwn: Bool)
    }

    /// The maximum number of names, such as `name (2).ext`, that `rename` tries. More copies are probably a mistake.
    static let nameLimit = 100

    private let item: UploadItem
    private let policy: ExistingFilePolicy?
    private let looksAlways: Bool
    private var phase: Phase

    /// - Parameter looksAlways: True to look up the name under the policies `replace` and nil too, to notice a folder.
    init(_ item: UploadItem, policy: ExistingFilePolicy?, begun: Begun? = nil, looksAlways: Bool = false) {
        self.item = item
        self.policy = policy
        self.looksAlways = looksAlways
        phase = begun.map { .checkingOwn($0) } ?? .asking(name: item.name, number: 1)
    }

    /// Returns the first action: a lookup, or to send the file if the policy needs no lookup.
    func start() -> Verdict {
        if !looksAlways, policy == nil || policy == .replace {
            return .free(name: item.name, replaces: true)
        }
        switch phase {
        case .checkingOwn(let begun): return .look(name: begun.name)
        case .asking(let name, _), .comparing(let name, _): return .look(name: name)
        }
    }

    /// Handles the result of a lookup, and returns the next action.
    ///
    /// - Parameter ours: The digests of the local file that the lookup requested.
    mutating func receive(_ place: FoundEntry, ours: [ComputedDigest] = []) -> Verdict {
        switch (phase, place) {
        case (.comparing(let name, let isOwn), .file(let file)):
            return compared(file, name: name, isOwn: isOwn, ours: ours)
        case (.checkingOwn(let begun), .file(let file)) where begun.mayBeComplete && file.size == item.size:
            return judge(file, name: begun.name, isOwn: true)
        case (.checkingOwn, .file(let file)):
            phase = .asking(name: item.name, number: 1)
            // The found file may have a numbered name. It says nothing about the item's own name.
            return policy == .rename ? start() : taken(file, name: item.name, number: 1)
        case (.checkingOwn(let begun), .nothing): return .free(name: begun.name, replaces: false)
        case (.asking(let name, _), .nothing), (.comparing(let name, _), .nothing):
            return .free(name: name, replaces: false)
        case (.asking(let name, let number), .file(let file)): return taken(file, name: name, number: number)
        case (.asking(let name, let number), .folder) where policy == .rename:
            return nextName(after: name, number)
        case (.checkingOwn, .folder) where policy == .rename:
            phase = .asking(name: item.name, number: 1)
            return start()
        case (_, .folder):
            return .failed(
                UploadFailure(
                    .permanent, "\(item.name) is a folder at the server",
                    hint: "end the destination's url with a slash, or give the file another name"))
        }
    }

    private mutating func taken(_ file: FoundFile, name: String, number: Int) -> Verdict {
        switch policy {
        case .fail: .failed(.nameTaken(name))
        case .rename: nextName(after: name, number)
        case .skip where file.size == item.size: judge(file, name: name, isOwn: false)
        case .skip, .replace, nil: .free(name: name, replaces: true)
        }
    }

    private mutating func nextName(after name: String, _ number: Int) -> Verdict {
        guard number < Self.nameLimit else { return .failed(.namesTaken(item.name, count: Self.nameLimit)) }
        let next = FileName.numbered(item.name, number + 1)
        phase = .asking(name: next, number: number + 1)
        return .look(name: next)
    }

    private mutating func judge(_ file: FoundFile, name: String, isOwn: Bool) -> Verdict {
        guard let reported = file.reported.first else { return finished(file, name: name, isOwn: isOwn) }
        phase = .comparing(name: name, isOwn: isOwn)
        return .look(name: name, digests: [item.digest(reported.algorithm)])
    }

    private func finished(
        _ file: FoundFile, name: String, isOwn: Bool, verified: DigestAlgorithm? = nil
    ) -> Verdict {
        let receipt = Receipt(
            entityTag: file.entityTag, bytes: item.size, verified: verified, wasThere: !isOwn)
        return .finished(name: name, receipt)
    }

    private mutating func compared(
        _ file: FoundFile, name: String, isOwn: Bool, ours: [ComputedDigest]
    ) -> Verdict {
        if case .same(let algorithm) = file.agrees(with: ours) {
            return finished(file, name: name, isOwn: isOwn, verified: algorithm)
        }
        guard isOwn, policy == .fail || policy == .rename else { return .free(name: name, replaces: true) }
        phase = .asking(name: item.name, number: 1)
        return policy == .rename ? start() : .failed(.nameTaken(name))
    }
}

enum FileName {
    static func last(_ name: String) -> String { String(name[lastStart(name)...]) }

    /// Returns a numbered name, such as `name (2).ext`; folders before the name are not changed.
    static func numbered(_ name: String, _ number: Int) -> String {
        let last = name[lastStart(name)...]
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return "\(name) (\(number))" }
        return "\(name[..<dot]) (\(number))\(name[dot...])"
    }

    private static func lastStart(_ name: String) -> String.Index {
        name.lastIndex(of: "/").map(name.index(after:)) ?? name.startIndex
    }
}
