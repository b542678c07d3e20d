/// Decides whether a file is sent, and under which name. The decision depends on the policy for existing files and on
/// the files that the server already has. The caller looks up these files and passes the results.
package struct ExistingChoice: Sendable {
    /// The next step of the caller: look up a name on the server, send the file, or end the upload.
    package enum Verdict: Sendable {
        /// Look up this name on the server. If `digest` is not nil, also compute this digest of the local file.
        case look(name: String, digest: DigestAlgorithm?)
        /// Send the file under this name. If `replaces` is true, the file is allowed to replace an existing one.
        case free(name: String, replaces: Bool)
        /// The server already has the file under this name, so nothing is sent. `verified` is the algorithm of the
        /// digest that proves this; nil if only the sizes were compared. `wasThere` is false if an earlier attempt of
        /// this upload sent the file; otherwise it is true.
        case finished(name: String, FoundFile, verified: DigestAlgorithm?, wasThere: Bool)
        case failed(UploadFailure)
    }

    /// The facts about an earlier attempt that began to send the local file.
    package struct Begun: Hashable, Sendable {
        /// The name under which the file was sent.
        package var name: String
        /// True if the server possibly has the whole file, although the attempt received no response.
        package var mayBeComplete: Bool

        package init(name: String, mayBeComplete: Bool) {
            self.name = name
            self.mayBeComplete = mayBeComplete
        }
    }

    private enum Phase: Sendable {
        case checkingOwn(Begun)
        case asking(name: String, number: Int)
        case comparing(name: String, isOwn: Bool)
    }

    /// The maximum number of names that the policy `rename` tries, such as `name (2).ext`. If the server has files with
    /// all these names, the upload fails. So many copies are probably a mistake.
    static let nameLimit = 100

    private let item: UploadItem
    private let policy: ExistingFilePolicy?
    private let looksAlways: Bool
    private var phase: Phase

    /// - Parameters:
    ///   - begun: The facts about an earlier attempt that began to send the file; nil if there was none.
    ///   - looksAlways: True to look up the name on the server under every policy. If false, the policies `replace` and
    ///     nil skip the lookup. They then do not notice a folder with this name.
    package init(
        _ item: UploadItem, policy: ExistingFilePolicy?, begun: Begun? = nil, looksAlways: Bool = false
    ) {
        self.item = item
        self.policy = policy
        self.looksAlways = looksAlways
        phase = begun.map { .checkingOwn($0) } ?? .asking(name: item.name, number: 1)
    }

    /// Returns the first action. If `looksAlways` is false and the policy is `replace` or nil, the action is to send
    /// the file. In all other cases, the action is a lookup.
    package func start() -> Verdict {
        if !looksAlways, policy == nil || policy == .replace {
            return .free(name: item.name, replaces: true)
        }
        switch phase {
        case .checkingOwn(let begun): return .look(name: begun.name, digest: nil)
        case .asking(let name, _), .comparing(let name, _): return .look(name: name, digest: nil)
        }
    }

    /// Handles the result of a lookup, and returns the next action.
    ///
    /// - Parameter ours: The digest of the local file, if the lookup requested one.
    package mutating func receive(_ place: FoundEntry, ours: [ComputedDigest] = []) -> Verdict {
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
        case (.asking(let name, let number), .file(let file)):
            return taken(file, name: name, number: number)
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
        guard number < Self.nameLimit else {
            return .failed(.namesTaken(item.name, count: Self.nameLimit))
        }
        let next = FileName.numbered(item.name, number + 1)
        phase = .asking(name: next, number: number + 1)
        return .look(name: next, digest: nil)
    }

    private mutating func judge(_ file: FoundFile, name: String, isOwn: Bool) -> Verdict {
        guard let reported = file.reported.first else {
            return .finished(name: name, file, verified: nil, wasThere: !isOwn)
        }
        phase = .comparing(name: name, isOwn: isOwn)
        return .look(name: name, digest: reported.algorithm)
    }

    private mutating func compared(
        _ file: FoundFile, name: String, isOwn: Bool, ours: [ComputedDigest]
    ) -> Verdict {
        if case .same(let algorithm) = file.agrees(with: ours) {
            return .finished(name: name, file, verified: algorithm, wasThere: !isOwn)
        }
        guard isOwn, policy == .fail || policy == .rename else { return .free(name: name, replaces: true) }
        phase = .asking(name: item.name, number: 1)
        return policy == .rename ? start() : .failed(.nameTaken(name))
    }
}

/// The operations on file names.
package enum FileName {
    /// Returns the name without the folders before it.
    static func last(_ name: String) -> String {
        String(name[(name.lastIndex(of: "/").map(name.index(after:)) ?? name.startIndex)...])
    }

    /// Returns a numbered name, such as `name (2).ext`; folders before the name are not changed.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        let last = name[start...]
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return "\(name) (\(number))" }
        return "\(name[..<dot]) (\(number))\(name[dot...])"
    }
}
