import FerryFiles
import FerryUploads

extension UploadHistory {
    /// Returns the entries of the history in a state folder, the newest first; none if the folder is missing.
    ///
    /// - Parameter since: The earliest time of an entry; nil for all entries.
    static func read(
        inFolder folder: LocalPath, limit: Int = .max, since: Date? = nil
    ) throws(JournalError) -> [HistoryEntry] {
        guard let directory = try StateDirectory(reading: folder) else { return [] }
        return try read(in: directory, limit: limit, since: since)
    }
}
