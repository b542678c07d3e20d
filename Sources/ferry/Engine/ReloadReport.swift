import UploadProtocols
import Uploads

/// What came of reading a configuration again.
struct ReloadReport: Codable, Equatable {
    /// The path of what was read.
    var file: String
    var changes: ConfigurationChanges
    /// Uploads that failed for a destination that is there now; nobody but a person tries them again.
    var retry: [Upload.ID]
    /// What the new configuration allows and that may do harm.
    var warnings: [String]

    /// For people.
    var lines: [String] {
        let destinations = [
            ("added", changes.added), ("changed", changes.changed), ("removed", changes.removed),
        ].filter { !$0.1.isEmpty }.map { "\($0) \($1.joined(separator: ", "))" }
        var lines = ["\(file) was read again" + (changes.isEmpty ? ": nothing has changed" : "")]
        if !destinations.isEmpty { lines.append("destinations: " + destinations.joined(separator: "; ")) }
        if !changes.now.isEmpty { lines.append("holds from now on: \(changes.now.joined(separator: ", "))") }
        if !changes.atNextStart.isEmpty {
            lines.append("takes effect at the next start: \(changes.atNextStart.joined(separator: ", "))")
        }
        if let first = retry.first {
            let what = retry.count == 1 ? "upload \(first) failed" : "\(retry.count) uploads failed"
            let numbers = retry.prefix(5).map { " \($0)" }.joined() + (retry.count > 5 ? " …" : "")
            lines.append("\(what) for want of a destination that is there now: `ferry retry\(numbers)`")
        }
        return lines
    }
}
