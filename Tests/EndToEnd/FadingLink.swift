import FerryTestSupport
import Testing

extension FaultyLink {
    /// Runs the engine until its only upload, which goes over this link, is done. The link fades at each of these
    /// counts of received bytes, and then breaks.
    ///
    /// Compares the count of bytes that were sent again with what the link received twice. Once the windows are closed,
    /// no byte is under way between the two kernels, so both count the same at such a break. The link alone counts the
    /// heads of requests and the bodies without bytes of the file: at most 1 KiB a request.
    func fade(at counts: [Int], in place: Workplace) async throws -> UploadLine {
        let engine = try place.start("run", "--exit-when-idle", "--json")
        for count in counts {
            try await Eventually.holds("\(count) bytes on the link") {
                bytesReceived >= count
            }
            change(to: .freeze)
            try await Eventually.holds("the windows are closed") { isStill }
            cut()
        }
        #expect(try await engine.ending() == .exited(0), "\(engine.output.text)")
        let upload = try #require(try await place.list().first)
        let requests = try ["OPTIONS", "HEAD", "GET", "POST", "PUT", "PATCH"].reduce(0) { sum, method in
            try sum + place.exchangeSizes(method).count
        }
        let twice = bytesReceived - upload.size
        #expect((0...requests << 10).contains(twice - upload.resent), "\(twice) \(requests) \(upload)")
        print(
            "\(upload.protocol): \(upload.attempts) attempts, \(upload.resent) counted, \(twice) seen twice")
        return upload
    }
}
