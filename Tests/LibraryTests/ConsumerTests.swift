import FerryTestSupport
import Foundation
import Testing

/// Builds packages that depend on this one.
@Suite(.timeLimit(.minutes(10)))
struct ConsumerTests {
    private static let root = Repository.path("")

    private static let swift: String? = {
        let environment = ProcessInfo.processInfo.environment
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        let places =
            folders + ["/usr/libexec/swift/bin", "\(environment["HOME"] ?? "")/.local/share/swiftly/bin"]
        // Debian has another program named swift in its own folders.
        return places.map { "\($0)/swift" }.first { path in
            FileManager.default.isExecutableFile(atPath: path)
                && FileManager.default.isExecutableFile(atPath: path + "c")
        }
    }()

    /// The results of resolving this package. The other package uses them, so nothing is downloaded.
    private static let resolved = ["checkouts", "repositories", "workspace-state.json"]
    /// The folder in which SwiftPM built this package: `.build`, or the folder three levels above the running tests.
    private static let built: String? = {
        let tests = URL(filePath: CommandLine.arguments[0])
        let above = (0..<3).reduce(tests) { folder, _ in folder.deletingLastPathComponent() }
        return [above.path(percentEncoded: false), "\(root)/.build"].first { folder in
            resolved.allSatisfy { FileManager.default.fileExists(atPath: "\(folder)/\($0)") }
        }
    }()

    @Test(
        .enabled(if: swift != nil, "needs swift in PATH"),
        .enabled(if: built != nil, "needs the folder that this package was built in"))
    func `a package with targets of usual names can depend on this one`() async throws {
        let names = ["Connectivity", "Transfer", "Uploads", "Receiver", "TUI"]
        let directory = try TemporaryDirectory()
        for name in names {
            try directory.write(Array("public enum Own {}\n".utf8), to: "Sources/\(name)/\(name).swift")
        }
        let package = (Self.root as NSString).lastPathComponent.lowercased()
        try directory.write(
            Array(
                """
                // swift-tools-version: 6.1
                import PackageDescription

                let package = Package(
                    name: "Consumer", platforms: [.macOS(.v15)],
                    dependencies: [.package(path: "\(Self.root)")],
                    targets: \(names).map {
                        .target(name: $0, dependencies: [.product(name: "Ferry", package: "\(package)")])
                    })
                """.utf8), to: "Package.swift")
        let files = FileManager.default
        let built = try #require(Self.built)
        try files.createDirectory(atPath: directory.path(".build"), withIntermediateDirectories: false)
        try files.copyItem(
            atPath: "\(Self.root)/Package.resolved", toPath: directory.path("Package.resolved"))
        for name in Self.resolved {
            let (from, to) = ("\(built)/\(name)", directory.path(".build/\(name)"))
            if name.hasSuffix(".json") {
                try files.copyItem(atPath: from, toPath: to)
            } else {
                try files.createSymbolicLink(atPath: to, withDestinationPath: from)
            }
        }
        let (status, output) = try await Self.run(
            try #require(Self.swift),
            [
                "package", "--package-path", directory.path, "--disable-automatic-resolution",
                "show-dependencies",
            ], into: directory.path("output"))
        #expect(status == 0, "\(output)")
        #expect(!output.contains("similar targets") && !output.contains("conflicting name"), "\(output)")
    }

    /// - Parameter file: Receives the output of the program.
    private static func run(
        _ program: String, _ arguments: [String], into file: String
    ) async throws -> (Int32, String) {
        _ = FileManager.default.createFile(atPath: file, contents: nil)
        let output = try #require(FileHandle(forWritingAtPath: file))
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return (status, try String(contentsOfFile: file, encoding: .utf8))
    }
}
