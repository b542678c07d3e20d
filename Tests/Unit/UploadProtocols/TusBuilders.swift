import HTTPTypes
import Testing

@testable import FerryProtocols

extension ServerCapabilities {
    static let tusCore = ServerCapabilities(extensions: ["creation"])
    static let tusWithUpload = ServerCapabilities(extensions: ["creation", "creation-with-upload"])
    static let tusChecking = ServerCapabilities(
        extensions: ["creation", "checksum"], facts: ["checksums": "sha1,md5,sha256,crc32c"])
    static let tusJoining = ServerCapabilities(extensions: ["creation", "concatenation"])
}

extension UploadResource {
    static let tus = UploadResource(url: "http://server.example/files/7")
}

extension TusUpload {
    /// Returns an upload that has the resource `UploadResource.tus` and is about to append from `offset`.
    static func appending(
        size: ByteCount = 10, from offset: ByteCount = 0, options: ProtocolOptions = .init(),
        resource: UploadResource = .tus, capabilities: ServerCapabilities = .tusCore
    ) throws -> (tus: TusUpload, exchange: Exchange) {
        var tus = TusUpload(item: .make(size: size), options: options)
        _ = tus.start(resource: resource, capabilities: capabilities)
        let step = tus.receive(.answer(200, [.uploadOffset: "\(offset)", .uploadLength: "\(size)"]))
        return (tus, try #require(step.exchange))
    }

    /// Handles the response to the last of several appends, then the response to HEAD that confirms the whole file.
    mutating func receiveLast(of size: ByteCount = 10) throws -> Receipt? {
        let question = receive(.answer(204, [.uploadOffset: "\(size)"])).exchange
        try #require(question?.method == .head)
        return receive(.answer(200, [.uploadOffset: "\(size)"])).receipt
    }
}
