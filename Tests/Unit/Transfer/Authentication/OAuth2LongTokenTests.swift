import FerryProtocols
import Foundation
import Testing

@testable import FerryTransfer

struct OAuth2LongTokenTests {
    private func answer(_ length: Int) throws -> OAuth2Response {
        let token = String(repeating: "a", count: length)
        let body = #"{"access_token":"\#(token)","token_type":"bearer"}"#
        return try OAuth2Response(
            TransportResponse(status: 200, body: Array(body.utf8)), from: "https://sign-in.example/token",
            now: Date())
    }

    @Test func `an access token of 16 KiB is used`() throws {
        #expect(try answer(16 << 10).accessToken.count == 16 << 10)
    }

    @Test func `a longer access token is refused by the server's name`() {
        #expect {
            try answer((16 << 10) + 1)
        } throws: { error in
            guard let refusal = error as? OAuth2Response.Refusal else { return false }
            return refusal.failure.summary
                == "sign-in.example sent an access token of 16385 bytes; at most 16384 are taken"
        }
    }
}
