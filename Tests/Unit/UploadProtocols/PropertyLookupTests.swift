import HTTPTypes
import Testing

@testable import FerryProtocols

struct PropertyLookupTests {
    @Test(arguments: [(404, true), (405, true), (200, false), (401, false), (503, nil), (429, nil)])
    func `a file is told from a folder only by a server that is there`(status: Int, isFile: Bool?) throws {
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
}
