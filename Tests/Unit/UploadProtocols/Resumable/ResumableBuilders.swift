import HTTPTypes
import Testing

@testable import FerryProtocols

extension ServerCapabilities {
    /// The capabilities of a server that speaks the newest version.
    static let newestResumable = ServerCapabilities(
        facts: ["resumable-limit": "min-size=0", "resumable-version": "8"])
}

extension UploadResource {
    /// The resource at a server that speaks this version.
    static func resumable(_ version: InteropVersion) -> UploadResource {
        var resource = UploadResource(url: "http://server.example/files/7")
        resource.resumable.interop = version
        return resource
    }
}

extension ResumableUpload {
    /// An upload that is about to append from `offset`.
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

    /// A problem document (RFC 9457) of that type.
    static func problem(_ type: String, more: String = "") -> String {
        #"{"type":"https://iana.org/assignments/http-problem-types#\#(type)"\#(more)}"#
    }
}
