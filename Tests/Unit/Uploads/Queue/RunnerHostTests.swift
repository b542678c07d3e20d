import FerryConnectivity
import FerryProtocols
import FerryStateSimulation
import FerryTransfer
import Foundation
import Testing

@testable import FerryUploads

/// Tests which host an upload must reach: its server or its proxy.
struct RunnerHostTests {
    private static let proxy = ProxyAddress(host: "proxy.example", port: 3128)

    private static func host(of url: String, proxy: ProxySettings, named name: String = "d") -> UploadHost {
        let destination = Destination(name: "d", url: url, protocolName: "put", proxy: proxy)
        let runner = DestinationRunner(
            destinations: [destination], proxy: .server(Self.proxy), rateLimit: RateLimit())
        var upload = Upload.make(1)
        upload.target = Upload.Target(destination: name, url: url, protocolName: "put", name: "f")
        return runner.host(of: upload)
    }

    @Test func `without a proxy the server must be reached`() {
        let host = Self.host(of: "https://h.example/", proxy: .none)
        #expect(host == UploadHost(name: "h.example", port: 443, isLocal: false))
    }

    @Test func `with a proxy it is the proxy, and the server still has its own limit`() {
        let host = Self.host(of: "https://h.example/", proxy: .server(Self.proxy))
        #expect(host == UploadHost(name: "h.example", port: 443, isLocal: false, proxy: Self.proxy))
    }

    @Test func `an address that is no destination goes by the proxy for all`() {
        #expect(Self.host(of: "http://h.example/", proxy: .none, named: "").proxy == Self.proxy)
    }

    // The proxy's connection back to this machine goes over the network.
    @Test func `this machine behind another one's proxy is not local`() {
        #expect(!Self.host(of: "http://127.0.0.1/", proxy: .server(Self.proxy)).isLocal)
    }

    @Test(arguments: ["http://127.0.0.1/", "http+unix://%2Frun%2Fx.sock/"])
    func `this machine is local`(url: String) {
        #expect(Self.host(of: url, proxy: .none).isLocal)
    }

    @Test func `the probe knocks at the proxy`() async {
        let closed = UploadHost(
            name: "no-such-host.invalid", port: 443, isLocal: false,
            proxy: ProxyAddress(host: "127.0.0.1", port: 1))
        #expect(await UploadQueue.connect(closed) == Reachability.refused)
    }
}
