// Example: attempt
import Ferry

/// Runs one resumable upload without a queue. `recorder` stores what the next attempt needs to resume.
func resume(
    _ film: LocalPath, to server: String, from resource: UploadResource?, over session: Session,
    recorder: any AttemptRecorder
) async throws -> UploadAttempt.Outcome {
    let file = try await SourceFile.open(film)
    let item = UploadItem(url: server + "/files/", name: film.name, size: file.identity.size, key: film.text)
    let attempt = UploadAttempt(
        sender: session.sender, file: file, identity: file.identity, label: film.name, recorder: recorder)
    return await attempt.run(
        TusUpload(item: item, options: ProtocolOptions()), resource: resource, capabilities: nil
    ).value
}
// end
