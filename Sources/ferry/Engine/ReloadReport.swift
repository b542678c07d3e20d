import FerryProtocols
import FerryUploads

/// The result of reading a configuration again.
struct ReloadReport: Codable, Equatable {
    /// The path of the file.
    var file: String
    var changes: ConfigurationChanges
    /// The uploads that failed because a destination was missing or rejected the credentials, and that may succeed now.
    /// Only a user retries them.
    var retry: [Upload.ID]
    /// The settings of the new configuration that may do harm.
    var warnings: [String]

    /// Returns true if the engine knows a destination that was just written to a file.
    ///
    /// - Parameter file: The path of the file, as `PrivateFile` has it.
    func makesKnown(_ name: String, of file: String) -> Bool {
        // A concurrent command may have made the destination known already; then it is no change any more.
        (changes.added + changes.changed).contains(name) || PrivateFile(self.file).path == file
    }

    /// The lines for users.
    var lines: [String] {
        let destinations = [
            ("added", changes.added), ("changed", changes.changed), ("removed", changes.removed),
        ].filter { !$0.1.isEmpty }.map { "\($0) \($1.joined(separator: ", "))" }
        var lines = ["\(file) was read again" + (changes.isEmpty ? ": nothing has changed" : "")]
        if !destinations.isEmpty { lines.append("destinations: " + destinations.joined(separator: "; ")) }
        if !changes.now.isEmpty { lines.append("in effect now: \(changes.now.joined(separator: ", "))") }
        if !changes.atNextStart.isEmpty {
            lines.append("takes effect at the next start: \(changes.atNextStart.joined(separator: ", "))")
        }
        if let first = retry.first {
            let what = retry.count == 1 ? "upload \(first)" : "\(retry.count) uploads"
            lines.append(
                "\(what) stopped for lack of a destination or credentials and may resume now: "
                    + "`ferry retry \(UploadNumbers(joining: retry).text)`")
        }
        return lines
    }
}
