import HTTPTypes
import Testing

@testable import FerryProtocols

extension ServerCapabilities {
    /// The capabilities of a server with the newest interop version.
    static let newestResumable = ServerCapabilities(
        facts: ["resumable-limit": "min-size=0", "resumable-version": "8"])
}

extension UploadResource {
    /// The upload resource at a server with this interop version.
    static func resumable(_ version: InteropVersion) -> UploadResource {
        var resource = UploadResource(url: "http://server.example/files/7")
        resource.resumable.interop = version
        return resource
    }
}

extension ResumableUpload {
    /// Returns an upload that is about to append from `offset`.
    static func appending(
        size: ByteCount = 10, from offset: ByteCount = 0, version: InteropVersion = .eight,
        limit: String? = nil, options: ProtocolOptions = .init()
    ) throws -> (upload: ResumableUpload, exchange: Exchange) {
        var upload = ResumableUpload(item: .make(size: size), options: options)
        _ = upload.start(resource: .resumable(version), capabilities: .newestResumable)
        var fields: HTTPFields = [.uploadOffset: "\(offset)", .uploadComplete: "?0"]
        fields[.uploadLimit] = limit
        let step = upload.receive(.answer(204, fields))
        return (upload, try #require(step.exchange))
    }

    /// Returns a problem document (RFC 9457) of this type.
    static func problem(_ type: String, more: String = "") -> String {
        #"{"type":"https://iana.org/assignments/http-problem-types#\#(type)"\#(more)}"#
    }
}
