import FerryProtocols
import Foundation
import Testing

struct ProtocolCatalogTests {
    /// A custom protocol, as a program that uses the library can register it.
    private struct Own: SequentialProtocol {
        static let name = "own-protocol"
        static let traits = ProtocolTraits(resumes: false)

        init(item: UploadItem, options: ProtocolOptions) {}

        mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
            .done(Receipt())
        }
        mutating func receive(_ reply: ExchangeOutcome) -> Step { .done(Receipt()) }
        func removal(of resource: UploadResource) -> [Exchange] { [] }
    }

    private struct Misnamed: SequentialProtocol {
        static let name = "not a scheme"
        static let traits = Own.traits

        init(item: UploadItem, options: ProtocolOptions) {}

        mutating func start(resource: UploadResource?, capabilities: ServerCapabilities?) -> Step {
            .done(Receipt())
        }
        mutating func receive(_ reply: ExchangeOutcome) -> Step { .done(Receipt()) }
        func removal(of resource: UploadResource) -> [Exchange] { [] }
    }

    @Test func `a protocol that was registered is found by its name, and registered once`() throws {
        #expect(ProtocolCatalog.entry(named: Own.name) == nil)
        let entry = ProtocolCatalog.Entry(Own.self)
        try ProtocolCatalog.register(entry)
        #expect(ProtocolCatalog.names.last == Own.name)
        let item = UploadItem(url: "https://h/", name: "a", size: 0, key: "1")
        #expect(ProtocolCatalog.entry(named: Own.name)?.make(item, ProtocolOptions()) is Own)
        #expect(throws: UploadFailure.self) { try ProtocolCatalog.register(entry) }
    }

    @Test func `a protocol cannot take the name of another, nor one that no address begins with`() {
        let misnamed = ProtocolCatalog.Entry(Misnamed.self)
        for entry in [ProtocolCatalog.Entry.tus, misnamed] {
            #expect(throws: UploadFailure.self) { try ProtocolCatalog.register(entry) }
        }
        #expect(!ProtocolCatalog.names.contains(Misnamed.name))
    }

    @Test func `a failure is printed as a sentence`() {
        let failure = UploadFailure(.permanent, "the server answered 404", hint: "check the url")
        #expect("\(failure)" == "the server answered 404 (check the url)")
        #expect(failure.localizedDescription == "the server answered 404")
    }
}
