// Example: brief
import Ferry

func send(_ film: LocalPath, to address: String, over session: Session) async throws {
    let upload = session.upload(.file(film), to: address, method: .put)
    for await progress in upload.progress { print(progress.fraction ?? 0) }
    _ = try await upload.status()
}
// end
