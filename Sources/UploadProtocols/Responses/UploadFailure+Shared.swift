extension UploadFailure {
    /// Returns the failure for a file that is too large or too small.
    /// - Parameter taker: The words between the size of the file and `limit` in the summary.
    static func tooLarge(_ size: ByteCount, limit: ByteCount, taker: String = "the server takes")
        -> UploadFailure
    {
        UploadFailure(
            .permanent, "the file has \(ByteFormat.sentence(size)), \(taker) \(ByteFormat.sentence(limit))")
    }

    /// Returns the summary for a file of another size on the server. Equal short forms are given in full.
    static func sizesDiffer(_ stored: ByteCount, _ size: ByteCount) -> String {
        let (there, here) = (ByteFormat.sentence(stored), ByteFormat.sentence(size))
        return there == here
            ? "the server has \(stored) B, the file has \(size) B"
            : "the server has \(there), the file has \(here)"
    }

    /// Returns the failure for a file if the server has one of the same name that must not be replaced.
    /// - Parameter policies: The values of the configuration key `ifExists` for the hint, as words of a sentence.
    static func nameTaken(_ name: String, instead policies: String = "skip, replace or rename")
        -> UploadFailure
    {
        UploadFailure(
            .permanent, "\(name) is already at the server",
            hint: "set ifExists to \(policies), or remove the upload", status: 412)
    }

    /// Returns the failure for a file if all `count` names that the upload tried, `name` first, are on the server.
    static func namesTaken(_ name: String, count: Int) -> UploadFailure {
        UploadFailure(
            .permanent, "\(name) and \(count - 1) more like it are at the server",
            hint: "give the file another name")
    }

    /// Returns the failure for a destination with the configuration key `ifExists`, which needs a URL for each file
    /// name.
    /// - Parameter hint: The text that follows "end the url with a slash" in the failure's hint.
    static func oneAddress(_ hint: String) -> UploadFailure {
        UploadFailure(
            .permanent, "the destination's url is the same for every file, so ifExists cannot be kept",
            hint: "end the url with a slash\(hint), or leave ifExists out")
    }

    static let unasked = UploadFailure(.permanent, "the server gave an unexpected answer")
}
