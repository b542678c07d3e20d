import HTTPTypes
import Testing

@testable import FerryProtocols

/// Tests sizes in responses. Offsets are computed from them, so a negative one would lead to bytes before the file.
struct ServerSizeTests {
    @Test(arguments: ["-1", "+1", "9223372036854775808", "1.5", "0x10", ""])
    func `a size that is no number of bytes is none`(text: String) {
        let answer = ExchangeOutcome.Response(
            status: 207,
            body: Array(
                """
                <multistatus xmlns="DAV:"><response><href>/a</href><propstat><status>HTTP/1.1 200 OK</status>\
                <prop><getcontentlength>\(text)</getcontentlength></prop></propstat></response></multistatus>
                """.utf8))
        let properties = WebDAVProperties.list(in: answer)
        #expect(properties?.count == 1)
        #expect(properties?.first?.file.size == nil)
        #expect(ExchangeOutcome.Response(status: 200, fields: [.contentLength: text]).contentLength == nil)
    }
}
