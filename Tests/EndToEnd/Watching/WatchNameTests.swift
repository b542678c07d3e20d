import FerryTestSupport
import Foundation
import Testing

/// Tests watched files whose names the server gets in another form.
@Suite(.fewAtOnce)
struct WatchNameTests {
    @Test(arguments: [("put", true), ("tus", false)])
    func `a file that another one can replace at the server is not moved away`(
        protocolName: String, stays: Bool
    ) async throws {
        let place = try Workplace()
        let out = try place.folder("out")
        // ISO 8859-1, as in archives of other systems.
        #expect(await ChildProcess.succeeds("sh", "-c", #"printf x >"$0/g$(printf '\374')""#, out))
        try await ReceiverSite.with { site in
            try place.configure(protocolName, at: protocolName == "tus" ? site.tusURL : site.url)
            let words = [
                "run", "--exit-when-idle", "--watch", out, "--settle", "0.1", "--after",
                "move:\(place.directory.path("sent"))",
            ]
            let result = try await Workplace.result(of: place.start(words))
            #expect(result.ending == .exited(0), "\(result.errors)")
            #expect(result.errors.contains("stays: its name is not UTF-8") == stays, "\(result.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: out).isEmpty == !stays)
            #expect(site.log.totals.finished == 1)
        }
    }
}
