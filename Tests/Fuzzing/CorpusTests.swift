import Foundation
import Testing

/// Runs all inputs of the corpora through their surfaces. `Tests/fuzz` searches for new ones.
struct CorpusTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    static let surfaces: [FuzzSurface] = [
        .uploads, .checks, .fields, .addresses, .xml, .multipart, .signIn, .redaction, .proxies, .json,
        .records,
        .journal, .terminal, .texts, .configuration, .control, .receiver, .names,
    ]

    private static func inputs(of surface: FuzzSurface) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: "Corpora/\(surface.name)"), includingPropertiesForKeys: nil)
    }

    @Test(.timeLimit(.minutes(10)), arguments: surfaces)
    func `no input of the corpora traps or breaks a promise`(surface: FuzzSurface) async throws {
        let inputs = try Self.inputs(of: surface)
        #expect(!inputs.isEmpty)
        // Some surfaces wait for a socket, which would block one of the few threads of tasks.
        await withCheckedContinuation { ended in
            Thread.detachNewThread {
                for input in inputs {
                    guard let bytes = try? Data(contentsOf: input) else { continue }
                    surface.run(FuzzBytes(Array(bytes)))
                }
                ended.resume()
            }
        }
    }

    @Test func `every surface is in the list, and every corpus has a surface`() throws {
        let names = Set(Self.surfaces.map(\.name))
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.folder.appending(path: "Surfaces"), includingPropertiesForKeys: nil)
        var declared: Set<String> = []
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            declared.formUnion(text.matches(of: /FuzzSurface\("([a-z-]+)"\)/).map { String($0.output.1) })
        }
        #expect(declared == names)
        let corpora = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.appending(path: "Corpora").path(percentEncoded: false))
        #expect(Set(corpora) == names)
    }
}

extension FuzzSurface: CustomTestStringConvertible {
    var testDescription: String { name }
}
