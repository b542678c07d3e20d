import HTTPTypes

@testable import FerryProtocols

/// The URL of the tests' bucket.
let bucketURL = "http://server.example/b/"
let objectURL = "http://server.example/b/a.bin"
let megabyte: ByteCount = 1 << 20

extension UploadItem {
    /// Makes an item for the tests' bucket.
    static func object(_ size: ByteCount, url: String = bucketURL, parameters: [Parameter] = []) -> UploadItem
    {
        .make(url: url, size: size, parameters: parameters)
    }
}

extension S3Upload {
    /// Runs the upload: the server responds to each exchange until none is left or `stop` returns true.
    mutating func run(
        _ step: Step, on server: inout FakeS3, until stop: (Exchange) -> Bool = { _ in false }
    ) -> (step: Step, notes: [Step.Note]) {
        var step = step
        var notes = step.notes
        var underWay = step.exchanges
        while !underWay.isEmpty {
            if stop(underWay[0]) { return (step, notes) }
            let exchange = underWay.removeFirst()
            step = receive(server.reply(to: exchange), to: exchange)
            notes += step.notes
            underWay += step.exchanges
        }
        return (step, notes)
    }
}

extension [Step.Note] {
    /// The upload resource after these notes; nil if there is none.
    var lastResource: UploadResource? {
        for case .resource(let resource) in reversed() { return resource }
        return nil
    }

    /// The known facts about the server after these notes; nil if no note has any.
    var lastFacts: [String: String]? {
        for case .capabilities(let capabilities) in reversed() { return capabilities.facts }
        return nil
    }
}

extension Exchange {
    /// A short form of the request: its method and the names in its query.
    var kind: String {
        let query = url.split(separator: "?").dropFirst().first ?? ""
        let names = query.split(separator: "&").map { $0.prefix { $0 != "=" } }
        return ([method.rawValue] + names.map(String.init)).joined(separator: " ")
    }

    /// Returns the value of a header field.
    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
}
