/// The failures that several protocols have in common.
extension UploadFailure {
    /// The file is larger than `taker` takes.
    static func tooLarge(_ size: ByteCount, limit: ByteCount, taker: String = "the server takes")
        -> UploadFailure
    {
        UploadFailure(
            .permanent, "the file has \(ByteFormat.sentence(size)), \(taker) \(ByteFormat.sentence(limit))")
    }

    /// Another file has the name, and may not be replaced.
    static func nameTaken(_ name: String, instead policies: String = "skip, replace or rename")
        -> UploadFailure
    {
        UploadFailure(
            .permanent, "\(name) is already at the server",
            hint: "set ifExists to \(policies), or remove the upload", status: 412)
    }

    /// All names that are tried are taken.
    static func namesTaken(_ name: String, count: Int) -> UploadFailure {
        UploadFailure(
            .permanent, "\(name) and \(count - 1) more like it are at the server",
            hint: "give the file another name with --as")
    }

    /// The address is the same for every file, so the upload cannot do what `ifExists` asks for.
    static func oneAddress(_ hint: String) -> UploadFailure {
        UploadFailure(
            .permanent, "the destination's url is the same for every file, so ifExists cannot be kept",
            hint: "end the url with a slash\(hint), or leave ifExists out")
    }

    /// A reply came that no request of the protocol asked for.
    static let unasked = UploadFailure(.permanent, "the server sent an unexpected response")
}
