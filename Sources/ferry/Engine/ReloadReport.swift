import FerryUploads

/// The result of reading the configuration again in a running engine.
struct ReloadReport: Codable, Equatable {
    var file: String
    var changes: ConfigurationChanges
    /// The failed or held uploads that can succeed now, when a user retries them.
    var retry: [Upload.ID]
    /// The warnings about the new configuration that did not apply to the earlier configuration.
    var warnings: [String]

    /// Returns true if the engine knows the destination `name`, which `ferry init` has just written to `file`. The path
    /// of `file` has no symbolic links.
    func makesKnown(_ name: String, of file: String) -> Bool {
        // If another command made the engine read the destination before, it is no change of this reload.
        (changes.added + changes.changed).contains(name) || PrivateFile(self.file).path == file
    }

    var lines: [String] {
        let destinations = [
            ("added", changes.added), ("changed", changes.changed), ("removed", changes.removed),
        ].filter { !$0.1.isEmpty }.map { "\($0) \($1.joined(separator: ", "))" }
        var lines = ["\(file) was read again" + (changes.isEmpty ? ": nothing has changed" : "")]
        lines += [
            ("destinations", destinations.joined(separator: "; ")),
            ("in effect now", changes.now.joined(separator: ", ")),
            ("takes effect at the next start", changes.atNextStart.joined(separator: ", ")),
        ].filter { !$0.1.isEmpty }.map { "\($0): \($1)" }
        if let first = retry.first {
            let what = retry.count == 1 ? "upload \(first)" : "\(retry.count) uploads"
            lines.append(
                "\(what) stopped for lack of a destination or credentials and may resume now: "
                    + "`ferry retry \(UploadNumbers(joining: retry).text)`")
        }
        return lines
    }
}
