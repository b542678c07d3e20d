package import FerryProtocols
import Foundation

extension SigV4Signer {
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// Adds a signature to the query of a request. The resulting URL works without the keys.
    ///
    /// - Parameters:
    ///   - expiry: The validity in seconds, at most a week.
    ///   - signsToken: False for services that expect the session token outside of the signature.
    /// - Returns: The query to send, and the signature.
    package mutating func presign(
        _ request: SigV4Request, with credentials: S3Credentials, in scope: SigV4Scope, expiry: Int,
        signsToken: Bool = true
    ) -> (query: String, signature: Signature) {
        var query = request.sentQuery.map { [$0] } ?? []
        func append(_ name: String, _ value: String) {
            query.append("\(name)=\(value.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "")")
        }
        append("X-Amz-Algorithm", "AWS4-HMAC-SHA256")
        append("X-Amz-Credential", "\(credentials.accessKey)/\(scope.text)")
        append("X-Amz-Date", scope.time)
        append("X-Amz-Expires", "\(expiry)")
        if signsToken, let token = credentials.sessionToken { append("X-Amz-Security-Token", token) }
        append("X-Amz-SignedHeaders", request.signedFields)
        let signed = SigV4Request(
            method: request.method, path: request.sentPath, query: query.joined(separator: "&"),
            fields: request.fields, payload: request.payload)
        let signature = sign(signed, with: credentials, in: scope)
        if !signsToken, let token = credentials.sessionToken { append("X-Amz-Security-Token", token) }
        append("X-Amz-Signature", signature.text)
        return (query.joined(separator: "&"), signature)
    }
}
