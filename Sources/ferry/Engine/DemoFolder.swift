import FerryFiles
import FerryProtocols
import FerryReceiver

/// A temporary folder for the demo, with sample files, a queue and the received files.
struct DemoFolder {
    private let path: String

    init() throws(CommandFailure) {
        path =
            FileManager.default.temporaryDirectory.appendingPathComponent("ferry-demo-\(UUID().uuidString)")
            .path
        do throws(SystemCallError) {
            for folder in [files, received] { try LocalPath(folder).makeFolders() }
        } catch {
            throw CommandFailure(
                status: 73, summary: "the folder \(path) for the demo cannot be created: \(error.reason)",
                hint: "set TMPDIR to a folder you may write to")
        }
    }

    var files: String { path + "/files" }
    var received: String { path + "/received" }
    var state: String { path + "/state" }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Creates the sample files, which are sparse, and returns them by destination.
    func makeSamples() throws -> [(destination: String, files: [LocalPath])] {
        let films: [(String, Int)] = [
            ("intro-teaser.mp4", 12 << 20), ("notes.txt", 3_210), ("empty.txt", 0),
            ("interview-cam-A.mov", 96 << 20), ("報告書-最終版.pdf", 24 << 20), ("wide-drone-pass.mov", 64 << 20),
            ("b-roll-city.mov", 48 << 20), ("voice-over.wav", 16 << 20),
        ]
        let photos = (1...9).map { ("IMG_1000\($0).CR3", (1 << 20) + $0 * 234_567) }
        return [
            ("films", try films.map { try make($0.0, bytes: $0.1) }),
            ("photos", try photos.map { try make($0.0, bytes: $0.1) }),
        ]
    }

    static func configuration(
        _ address: ReceiverAddress, token: String
    ) throws(UploadFailure) -> Configuration {
        let auth = "\"auth\": {\"bearer\": \(JSONLine.quoted(token))}"
        let text = """
            {"destinations": {"films": {"url": "\(address.url)files/", "protocol": "tus", \(auth)},
                              "photos": {"url": "\(address.url)photos/", "protocol": "put", \(auth)}},
             "defaultDestination": "films",
             "limits": {"concurrency": 3}, "retry": {"cap": 4},
             "timeouts": {"stall": 10}}
            """
        return try ConfigurationFile.parse(Data(text.utf8), file: "the demo")
    }

    private func make(_ name: String, bytes: Int) throws -> LocalPath {
        let path = LocalPath("\(files)/\(name)")
        try OpenFile(path, for: .creating).truncate(to: bytes)
        return path
    }
}
