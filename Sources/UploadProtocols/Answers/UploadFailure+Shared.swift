/// The failures that several protocols share.
extension UploadFailure {
    /// The failure for a file that is larger than the limit of `taker`.
    static func tooLarge(_ size: ByteCount, limit: ByteCount, taker: String = "the server takes")
        -> UploadFailure
    {
        UploadFailure(
            .permanent, "the file has \(ByteFormat.sentence(size)), \(taker) \(ByteFormat.sentence(limit))")
    }

    /// The failure for a name that another file has, which may not be replaced.
    static func nameTaken(_ name: String, instead policies: String = "skip, replace or rename")
        -> UploadFailure
    {
        UploadFailure(
            .permanent, "\(name) is already at the server",
            hint: "set ifExists to \(policies), or remove the upload", status: 412)
    }

    /// The failure for the case that all attempted names are taken.
    static func namesTaken(_ name: String, count: Int) -> UploadFailure {
        UploadFailure(
            .permanent, "\(name) and \(count - 1) more like it are at the server",
            hint: "give the file another name with --as")
    }

    /// The failure for a URL that is the same for every file, so that `ifExists` cannot be followed.
    static func oneAddress(_ hint: String) -> UploadFailure {
        UploadFailure(
            .permanent, "the destination's url is the same for every file, so ifExists cannot be kept",
            hint: "end the url with a slash\(hint), or leave ifExists out")
    }

    /// The failure for a response to no request of the protocol.
    static let unasked = UploadFailure(.permanent, "the server sent an unexpected response")
}
