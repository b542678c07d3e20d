// Example: form
import Ferry

func upload(_ photo: LocalPath, into album: String, at server: String, over session: Session) async throws {
    var form = MultipartFormData()
    form.append(album, name: "album")
    form.append(values: ["raw", "unsorted"], name: "tags")  // a field each
    form.append(json: ["width": 6000, "height": 4000], name: "details")
    form.append(file: photo, name: "photo")  // read while it is sent
    _ = try await session.upload(.multipart(form), to: server + "/photos").status()
}
// end
