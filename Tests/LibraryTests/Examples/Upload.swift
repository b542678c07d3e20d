// Example: upload
import Ferry

struct Receipt: Decodable, Sendable {
    let id: Int
}

func upload(_ film: LocalPath, to server: String, over session: Session) async throws -> Receipt {
    let upload = session.upload(.file(film), to: server + "/films", method: .put)
    for await progress in upload.progress {
        // "62 % sending", …, "100 % waiting" for the server, "100 % finished"
        if let fraction = progress.fraction { print(Int(fraction * 100), "%", progress.phase) }
    }
    return try await upload.decoding()
}
// end
