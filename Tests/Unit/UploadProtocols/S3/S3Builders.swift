import HTTPTypes

@testable import FerryProtocols

/// The destination of the tests' files.
let bucketURL = "http://server.example/b/"
let objectURL = "http://server.example/b/a.bin"
let megabyte: ByteCount = 1 << 20

extension UploadItem {
    /// A file for the tests' bucket.
    static func object(_ size: ByteCount, url: String = bucketURL, parameters: [Parameter] = []) -> UploadItem
    {
        .make(url: url, size: size, parameters: parameters)
    }
}

extension S3Upload {
    /// Responds to one exchange after another as the server does, until nothing is left or `stop` says so.
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
    /// The resource to resume with after all of them.
    var lastResource: UploadResource? {
        for case .resource(let resource) in reversed() { return resource }
        return nil
    }

    /// The known facts about the server after all of them.
    var lastFacts: [String: String]? {
        for case .capabilities(let capabilities) in reversed() { return capabilities.facts }
        return nil
    }
}

extension Exchange {
    /// The request to the server: the method and the query's names.
    var kind: String {
        let query = url.split(separator: "?").dropFirst().first ?? ""
        let names = query.split(separator: "&").map { $0.prefix { $0 != "=" } }
        return ([method.rawValue] + names.map(String.init)).joined(separator: " ")
    }

    /// The value of a field by its name in the source.
    func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
}
