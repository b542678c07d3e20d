import FerryConnectivity
import Testing

@Suite struct ReachabilityTests {
    @Test(arguments: [
        "localhost", "LocalHost", "localhost.", "a.localhost", "localhost.localdomain", "127.0.0.1",
        "127.8.9.10",
        "127.1", "0x7f000001", "2130706433", "::1", "[::1]", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "0.0.0.0",
        "::",
        "/run/upload.sock", "%2Frun%2Fupload.sock", "unix:/run/upload.sock",
    ])
    func `a host on this machine needs no network`(host: String) {
        #expect(Reachability.isLocal(host: host))
    }

    @Test(arguments: [
        "", "example.org", "localhost.example.org", "notlocalhost", "128.0.0.1", "10.0.0.1", "::2",
        "fe80::1%eth0",
        "::ffff:10.0.0.1", "127.0.0.1.example.org", "127.0.0.1 example.org", "127.0.0.1\0.example.org",
        "[::2]", "[",
        "]", "[]", ".", "%",
    ])
    func `any other host needs a network`(host: String) {
        #expect(!Reachability.isLocal(host: host))
    }
}
