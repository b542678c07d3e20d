import HTTPTypes
import Testing

@testable import FerryProtocols

struct CaptivePortalTests {
    private static let html: HTTPFields = [.contentType: "text/html; charset=utf-8"]
    private static let text = " <!DOCTYPE html><html><title>Welcome</title>"

    private static func page(
        _ status: Int, _ fields: HTTPFields = [:], body: String = "",
        to url: String = "http://files.example/in",
        isKnown: Bool = true, mayBePage: Bool = false, isAboutFile: Bool = false, completes: Bool = false
    ) -> CaptivePortal? {
        CaptivePortal(
            ExchangeOutcome.Response(status: status, fields: fields, body: Array(body.utf8)), to: url,
            isKnown: isKnown, mayBePage: mayBePage, isAboutFile: isAboutFile, completes: completes)
    }

    @Test func `N11 status 511 is a sign-in page, whichever server sends it`() {
        #expect(Self.page(511, isKnown: false, mayBePage: true) != nil)
    }

    @Test func `N11 the mark of hotspots in a page gives a sign-in page away`() {
        let body = "<html><!-- <WISPAccessGatewayParam><Redirect/></WISPAccessGatewayParam> --></html>"
        #expect(Self.page(200, Self.html, body: body, isKnown: false, mayBePage: true) != nil)
        #expect(Self.page(200, [.contentType: "text/plain"], body: body, isKnown: false) == nil)
    }

    @Test(arguments: [302, 303, 307])
    func `N11 a known server that suddenly sends elsewhere is a sign-in page, named by its host`(status: Int)
    {
        let page = Self.page(status, [.location: "http://login.hotel.example/?to=files"])
        #expect(page?.host == "login.hotel.example")
        let failure = page?.failure(inPlaceOf: "files.example")
        #expect(failure?.category == .signInPage)
        #expect(
            failure?.summary
                == "a captive portal's sign-in page (login.hotel.example) answers in place of files.example")
        #expect(failure?.status == nil)
    }

    @Test func `N11 a page for people where there should be none did not come from the server`() {
        #expect(Self.page(200, Self.html, body: Self.text) != nil)
        #expect(Self.page(200, Self.html, isAboutFile: true) != nil)
    }

    @Test func `N11 a page instead of the last response completes no upload, even at an unknown server`() {
        #expect(Self.page(200, Self.html, body: Self.text, isKnown: false) == nil)
        #expect(Self.page(200, Self.html, body: Self.text, isKnown: false, completes: true) != nil)
        #expect(Self.page(307, [.location: "http://s3.example/in"], isKnown: false, completes: true) == nil)
        var own = Self.html
        own[.eTag] = "\"e\""
        #expect(Self.page(200, own, body: Self.text, isKnown: false, completes: true) == nil)
    }

    @Test func `N11 a certificate that was good before is named with what may help`() {
        let failure = UploadFailure(
            .permanent, "the certificate is not accepted", hint: "see tls.caFile")
        let reported = CaptivePortal().failure(inPlaceOf: "files.example", after: failure)
        #expect(reported.summary == "the certificate is not accepted; it was accepted before")
        #expect(
            reported.hint == "this may be a network that wants you to sign in; if not, see tls.caFile")
    }

    @Test(
        arguments: [
            page(302, [.location: "http://other.example/"], isKnown: false),
            page(302, [.location: "/elsewhere"]), page(302, [.location: "https://FILES.example/in"]),
            page(301, [.location: "http://other.example/"]), page(308, [.location: "http://other.example/"]),
            page(302, [.location: "http://other.example/"], to: "https://files.example/in"),
            page(200, html, body: text, isKnown: false), page(200, html, body: text, mayBePage: true),
            page(200, html, body: text, to: "https://files.example/in"), page(200, html),
            page(200, [.contentType: "text/html", .eTag: "\"1\""], isAboutFile: true),
            page(201, [.contentType: "text/html", .location: "/files/1"]),
            page(204, [.contentType: "text/html", .uploadOffset: "5"]),
            page(200, [.contentType: "text/html"], body: "ok"),
            page(204), page(404, html, body: text), page(503, html, body: text),
        ])
    func `N11 a response that may be the server's own is no captive portal`(page: CaptivePortal?) {
        #expect(page == nil)
    }
}
