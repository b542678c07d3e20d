import HTTPTypes
import Testing

@testable import FerryProtocols

struct PropertyLookupTests {
    @Test(arguments: [(404, true), (405, true), (200, false), (401, false), (503, nil), (429, nil)])
    func `a file is distinguished from a folder only by a server that is there`(status: Int, isFile: Bool?)
        throws
    {
        var look = PropertyLookup(WebDAVAddress("http://h/a.bin"), takesPropfind: false)
        #expect(look.start().url == "http://h/a.bin")
        guard case .ask(let second) = look.receive(.init(status: 200, fields: [.contentLength: "10"])) else {
            Issue.record("no second request")
            return
        }
        #expect(second.url == "http://h/a.bin/")
        switch look.receive(.init(status: status)) {
        case .found(.file(let file), _): #expect(isFile == true && file.size == 10)
        case .found(let entry, _): #expect(isFile == false && entry == .folder)
        case .failed(let failure): #expect(isFile == nil && failure.isTransient)
        case .ask: Issue.record("a third request")
        }
    }

    @Test func `a refusal of both requests gives the reason that came with the first`() {
        var look = PropertyLookup(WebDAVAddress("http://h/a.bin"), takesPropfind: true)
        let refusal = ExchangeOutcome.Response(
            status: 400, fields: [.contentType: "text/plain"], body: Array("album is closed".utf8))
        guard case .ask(let second) = look.receive(refusal) else {
            Issue.record("no second request")
            return
        }
        #expect(second.method == .head)
        guard case .failed(let failure) = look.receive(.init(status: 400)) else {
            Issue.record("no failure")
            return
        }
        #expect(failure.summary.hasSuffix("album is closed"), "\(failure.summary)")
    }
}
