import Foundation
import HTTPTypes
import Testing

@testable import FerryProtocols

extension UploadItem {
    static func make(
        url: String = "http://server.example/files/", name: String = "a.bin", size: ByteCount = 10,
        contentType: String = "application/octet-stream", parameters: [Parameter] = []
    ) -> UploadItem {
        UploadItem(
            url: url, name: name, size: size, contentType: contentType, key: "key-1", parameters: parameters)
    }
}

extension ExchangeOutcome {
    static func answer(_ status: Int, _ fields: HTTPFields = [:], body: String = "") -> ExchangeOutcome {
        .responded(Response(status: status, fields: fields, body: Array(body.utf8)))
    }

    /// The outcome of a connection that broke after `bytes` bytes of the body.
    static func broke(afterSending bytes: ByteCount?) -> ExchangeOutcome {
        .broken(UploadFailure(.network, "the link broke"), bodySent: bytes)
    }
}

extension Exchange {
    /// Returns the digests that an attempt computes for this exchange, each with the value `bytes`.
    func digests(after response: ExchangeOutcome.Response, bytes: [UInt8]) -> [ComputedDigest] {
        let reported = ServerDigest.algorithms(in: response, reportedIn)
        return (digests + digestsIfReported.filter { reported.contains($0.algorithm) }).map {
            ComputedDigest($0.algorithm, of: $0.range, bytes: bytes)
        }
    }
}

extension Step {
    var exchange: Exchange? { if case .send(let exchange, _) = self { exchange } else { nil } }
    var receipt: Receipt? { if case .done(let receipt, _) = self { receipt } else { nil } }
    var failure: UploadFailure? { if case .failed(let failure, _) = self { failure } else { nil } }

    /// The upload resource of the last note about one. The outer nil means that there is no such note.
    var notedResource: UploadResource?? {
        notes.reversed().lazy.compactMap { (note) -> UploadResource?? in
            if case .resource(let resource) = note { .some(resource) } else { nil }
        }.first
    }
}

/// Decodes a file of `Vectors`.
func vectors<Value: Decodable>(_ name: String, as type: Value.Type = Value.self) throws -> Value {
    let url = try #require(Bundle.module.url(forResource: "Vectors/\(name)", withExtension: "json"))
    return try JSONDecoder().decode(Value.self, from: Data(contentsOf: url))
}
