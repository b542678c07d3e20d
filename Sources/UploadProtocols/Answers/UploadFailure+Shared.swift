/// The failures that several protocols share.
extension UploadFailure {
    /// Returns the failure for a file whose size is beyond `limit`: over a maximum, or under a minimum. `taker` is the
    /// part of the summary before the limit.
    static func tooLarge(_ size: ByteCount, limit: ByteCount, taker: String = "the server takes")
        -> UploadFailure
    {
        UploadFailure(
            .permanent, "the file has \(ByteFormat.sentence(size)), \(taker) \(ByteFormat.sentence(limit))")
    }

    /// Returns the failure for a file whose name is taken on the server, if the existing file must not be replaced.
    /// `policies` lists the values of `ifExists` that the hint suggests.
    static func nameTaken(_ name: String, instead policies: String = "skip, replace or rename")
        -> UploadFailure
    {
        UploadFailure(
            .permanent, "\(name) is already at the server",
            hint: "set ifExists to \(policies), or remove the upload", status: 412)
    }

    /// Returns the failure for a file if the server has `name` and every other name that the upload tried. `count` is
    /// the number of names tried, including `name`.
    static func namesTaken(_ name: String, count: Int) -> UploadFailure {
        UploadFailure(
            .permanent, "\(name) and \(count - 1) more like it are at the server",
            hint: "give the file another name")
    }

    /// Returns the failure for a destination whose URL is the same for every file. `ifExists` cannot be applied to such
    /// a URL. The failure's hint continues with `hint` after "end the url with a slash".
    static func oneAddress(_ hint: String) -> UploadFailure {
        UploadFailure(
            .permanent, "the destination's url is the same for every file, so ifExists cannot be kept",
            hint: "end the url with a slash\(hint), or leave ifExists out")
    }

    /// The failure for a response that the protocol does not expect.
    static let unasked = UploadFailure(.permanent, "the server sent an unexpected response")
}
