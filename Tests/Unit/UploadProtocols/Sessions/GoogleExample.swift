import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

/// The URLs of the example in Google's documentation.
enum GoogleExample {
    static let bucket = "https://storage.googleapis.com/upload/storage/v1/b/bkt/o?uploadType=resumable"
    static let drive = "https://www.googleapis.com/upload/drive/v3/files?uploadType=resumable"
    static let session = bucket + "&upload_id=u1"
}

/// Makes an upload with the URLs of the example.
func google(
    url: String = GoogleExample.bucket, name: String = "a b.bin", size: ByteCount = 1_000_000,
    chunkSize: ByteCount? = nil,
    checksum: DigestAlgorithm? = nil, existing: ExistingFilePolicy? = nil,
    parameters: [UploadItem.Parameter] = []
) -> GoogleUpload {
    GoogleUpload(
        item: .make(url: url, name: name, size: size, parameters: parameters),
        options: .init(chunkSize: chunkSize, checksum: checksum, existing: existing))
}

extension GoogleUpload {
    /// Runs the upload up to its first bytes.
    mutating func begun(at location: String = GoogleExample.session) -> Step {
        _ = start(resource: nil, capabilities: nil)
        return receive(.answer(200, [.location: location]))
    }
}

/// Decodes the JSON of a request's body.
func members(_ exchange: Exchange) throws -> [String: Any] {
    guard case .bytes(let bytes) = exchange.body else { return [:] }
    return try #require(JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
}
