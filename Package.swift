// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Ferry",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "ferry", targets: ["FerryCommand"]),
        // Everything but the screen and the executable, for other programs: `import Ferry`, or one layer of it.
        .library(
            name: "Ferry",
            targets: [
                "Ferry", "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryUploads",
                "FerryReceiver",
            ]),
    ],
    dependencies: [
        // The HTTP engine: file regions, back-pressure and the best figures measured from Swift.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Buffers, file regions, event loops and thread pools under the HTTP client and the receiver.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        // TLS of the HTTP client: private authorities and client certificates.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        // Digests and signatures of what is sent, on every platform.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // The reasons that a SOCKS proxy gives; the HTTP client speaks to it by this.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        // Methods, status codes and ordered case-insensitive fields, the same on both ends of the wire.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // Structured fields (RFC 9651), in which resumable uploads of the IETF are written: tested against its vectors.
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        // The receiver's HTTP server.
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
        // Subcommands, help and shell completions.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // A heap for the scheduler and the timers: a logarithm per change with a million uploads.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // The logger that the receiver's server writes to, and that a library user may have events written to.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // Counters and timers for whatever backend a library user has.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        // Builds the documentation catalogs; part of no product.
        .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
    ],
    targets: [
        // A target may import only targets listed above it. The names carry the product's, because SwiftPM refuses two
        // modules of one name among all packages of a build.
        .target(
            name: "CFerryTerminal", path: "Sources/CTerminal", linkerSettings: [.linkedLibrary("ncursesw")]),
        .target(
            name: "FerryProtocols",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            path: "Sources/UploadProtocols"),
        .target(name: "FerryConnectivity", path: "Sources/Connectivity"),
        .target(
            name: "FerryTransfer",
            dependencies: [
                "FerryProtocols", "FerryConnectivity",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOSOCKS", package: "swift-nio-extras"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Transfer"),
        .target(
            name: "FerryUploads",
            dependencies: [
                "FerryProtocols", "FerryConnectivity", "FerryTransfer",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            path: "Sources/Uploads"),
        .target(
            name: "FerryReceiver",
            dependencies: [
                "FerryProtocols",
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/Receiver"),
        // Exports the layers above as one module. The executable's module is FerryCommand, and its folder Sources/ferry:
        // where case does not count, a folder Sources/Ferry would be the same.
        .target(
            name: "Ferry",
            dependencies: [
                "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryUploads", "FerryReceiver",
            ],
            path: "Sources/Library"),
        // Starting programs, in the terms that Swift does not see.
        .target(name: "CFerryChild", path: "Sources/CChild"),
        .target(
            name: "FerryTUI",
            dependencies: ["FerryProtocols", "FerryTransfer", "FerryUploads", "CFerryTerminal"],
            path: "Sources/TUI"),
        .executableTarget(
            name: "FerryCommand",
            dependencies: [
                "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryUploads", "FerryReceiver",
                "FerryTUI", "CFerryChild",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Sources/ferry"),

        .target(
            name: "FerryTestSupport",
            dependencies: ["FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryUploads"],
            path: "Tests/Support"),
        // What a disk may do to the queue's files, without a disk.
        .target(
            name: "FerryStateSimulation",
            dependencies: ["FerryProtocols", "FerryTransfer", "FerryUploads", "FerryTestSupport"],
            path: "Tests/StateSimulation"),
        // Kills, power cuts, failing calls and damage for the queue's files on a real disk; Tests/faults runs it.
        .executableTarget(
            name: "fault-lab",
            dependencies: [
                "FerryTransfer", "FerryUploads", "FerryTestSupport", "FerryStateSimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/FaultLab"),
        // A bad link between a client and a server, for trials by hand and for Tests/bench.
        .executableTarget(
            name: "faulty-link",
            dependencies: [
                "FerryTestSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/FaultyLink"),
        // The real queue and the real store of its journal on one thread, with clock, network, disk, people and crashes
        // from a seed.
        .target(
            name: "FerryQueueSimulation",
            dependencies: [
                "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryUploads", "FerryTestSupport",
                "FerryStateSimulation",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/QueueSimulation"),
        .executableTarget(
            name: "queue-simulation", dependencies: ["FerryQueueSimulation"],
            path: "Tests/QueueSimulationCommand"),
        .testTarget(
            name: "UploadProtocolsTests", dependencies: ["FerryProtocols", "FerryTestSupport"],
            resources: [.copy("Vectors")]),
        .testTarget(name: "ConnectivityTests", dependencies: ["FerryConnectivity", "FerryTestSupport"]),
        .testTarget(
            name: "TransferTests",
            dependencies: ["FerryTransfer", "FerryProtocols", "FerryConnectivity", "FerryTestSupport"]),
        .testTarget(
            name: "UploadsTests", dependencies: ["FerryUploads", "FerryTestSupport", "FerryStateSimulation"],
            exclude: ["Persistence/Fixtures"]),
        .testTarget(
            name: "FaultTests", dependencies: ["fault-lab", "FerryTestSupport", "FerryStateSimulation"]),
        .testTarget(
            name: "QueueSimulationTests", dependencies: ["FerryQueueSimulation", "queue-simulation"]),
        .testTarget(
            name: "ReceiverTests",
            dependencies: [
                "FerryReceiver", "FerryProtocols", "FerryTestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]),
        .testTarget(name: "TUITests", dependencies: ["FerryTUI", "FerryTestSupport"]),
        // The examples of the documentation, with what a user of the product imports.
        .testTarget(name: "LibraryTests", dependencies: ["Ferry", "FerryTestSupport"]),
        .testTarget(
            name: "FerryTests",
            dependencies: [
                "FerryCommand", "FerryReceiver", "FerryTransfer", "FerryProtocols", "FerryConnectivity",
                "FerryUploads", "FerryTestSupport",
                // Another's server of resumable uploads.
                .product(name: "NIOResumableUpload", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
    ]
)

// The examples are compiled as a user's code is: with the language's own settings.
for target in package.targets where !["CFerryTerminal", "CFerryChild", "LibraryTests"].contains(target.name) {
    // Imports stay internal and per file, so a dependency that leaks into our interface shows as `public import`.
    target.swiftSettings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        .map { .enableUpcomingFeature($0) }
}
