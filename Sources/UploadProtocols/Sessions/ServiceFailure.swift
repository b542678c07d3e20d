import FerryFiles
import HTTPTypes

/// The failure for a response in which a cloud service refuses a request, with the error code and the message in it.
struct ServiceFailure {
    /// The service's error code, such as `nameAlreadyExists` or `InvalidBlockList`; empty if there is none.
    var code: String
    private let failure: UploadFailure

    init(_ response: ExchangeOutcome.Response) {
        let said = Self.said(by: response)
        code = said?.code ?? ""
        var plain = response
        if let said, !said.code.isEmpty || !said.message.isEmpty {
            plain.fields[.contentType] = "text/plain"
            plain.body = Array([said.code, said.message].filter { !$0.isEmpty }.joined(separator: ": ").utf8)
        }
        failure = ResponseClassifier.failure(plain)
    }

    static func of(_ response: ExchangeOutcome.Response) -> UploadFailure { ServiceFailure(response).failure }

    private static func said(by response: ExchangeOutcome.Response) -> (code: String, message: String)? {
        if let root = XMLDocument.parse(response.body) {
            guard root.name == "Error" else { return nil }
            return (root.text(of: "Code") ?? "", root.text(of: "Message") ?? "")
        }
        guard let error = response.decoded(as: JSONRefusal.self)?.error else {
            return response.fields[.msErrorCode].map { ($0, "") }
        }
        return (error.code?.text ?? error.errors?.first?.reason ?? "", error.message ?? "")
    }
}

/// The error in the JSON form of Google and Microsoft.
private struct JSONRefusal: Decodable {
    struct Refusal: Decodable {
        struct Reason: Decodable { var reason: String? }

        var code: Code?
        var message: String?
        var errors: [Reason]?
    }

    /// The code of an error. Google sends the HTTP status as a number, for which `text` is nil.
    struct Code: Decodable {
        var text: String?

        init(from decoder: any Decoder) throws {
            text = try? decoder.singleValueContainer().decode(String.self)
        }
    }

    var error: Refusal
}
