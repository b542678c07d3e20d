// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Ferry",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "ferry", targets: ["ferry"]),
        // Everything but the screen and the executable, for other programs.
        .library(
            name: "Ferry", targets: ["UploadProtocols", "Connectivity", "Transfer", "Uploads", "Receiver"]),
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
        // A target may import only targets listed above it.
        .target(name: "CTerminal", linkerSettings: [.linkedLibrary("ncursesw")]),
        .target(
            name: "UploadProtocols",
            dependencies: [
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ]),
        .target(name: "Connectivity"),
        .target(
            name: "Transfer",
            dependencies: [
                "UploadProtocols", "Connectivity",
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
            ]),
        .target(
            name: "Uploads",
            dependencies: [
                "UploadProtocols", "Connectivity", "Transfer",
                .product(name: "HeapModule", package: "swift-collections"),
            ]),
        .target(
            name: "Receiver",
            dependencies: [
                "UploadProtocols",
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Starting programs, in the terms that Swift does not see.
        .target(name: "CChild"),
        .target(name: "TUI", dependencies: ["UploadProtocols", "Transfer", "Uploads", "CTerminal"]),
        .executableTarget(
            name: "ferry",
            dependencies: [
                "UploadProtocols", "Connectivity", "Transfer", "Uploads", "Receiver", "TUI", "CChild",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),

        .target(
            name: "Support", dependencies: ["UploadProtocols", "Connectivity", "Transfer", "Uploads"],
            path: "Tests/Support"),
        // What a disk may do to the queue's files, without a disk.
        .target(
            name: "StateSimulation", dependencies: ["UploadProtocols", "Transfer", "Uploads", "Support"],
            path: "Tests/StateSimulation"),
        // Kills, power cuts, failing calls and damage for the queue's files on a real disk; Tests/faults runs it.
        .executableTarget(
            name: "fault-lab",
            dependencies: [
                "Transfer", "Uploads", "Support", "StateSimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/FaultLab"),
        // A bad link between a client and a server, for trials by hand and for Tests/bench.
        .executableTarget(
            name: "faulty-link",
            dependencies: ["Support", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Tests/FaultyLink"),
        // The real queue and the real store of its journal on one thread, with clock, network, disk, people and crashes
        // from a seed.
        .target(
            name: "QueueSimulation",
            dependencies: [
                "UploadProtocols", "Connectivity", "Transfer", "Uploads", "Support", "StateSimulation",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/QueueSimulation"),
        .executableTarget(
            name: "queue-simulation", dependencies: ["QueueSimulation"], path: "Tests/QueueSimulationCommand"),
        .testTarget(
            name: "UploadProtocolsTests", dependencies: ["UploadProtocols", "Support"],
            resources: [.copy("Vectors")]),
        .testTarget(name: "ConnectivityTests", dependencies: ["Connectivity", "Support"]),
        .testTarget(
            name: "TransferTests", dependencies: ["Transfer", "UploadProtocols", "Connectivity", "Support"]),
        .testTarget(
            name: "UploadsTests", dependencies: ["Uploads", "Support", "StateSimulation"],
            exclude: ["Persistence/Fixtures"]),
        .testTarget(name: "FaultTests", dependencies: ["fault-lab", "Support", "StateSimulation"]),
        .testTarget(name: "QueueSimulationTests", dependencies: ["QueueSimulation", "queue-simulation"]),
        .testTarget(name: "ReceiverTests", dependencies: ["Receiver", "UploadProtocols", "Support"]),
        .testTarget(name: "TUITests", dependencies: ["TUI", "Support"]),
        // The examples of the documentation, with what a user of the product imports.
        .testTarget(
            name: "LibraryTests",
            dependencies: [
                "UploadProtocols", "Connectivity", "Transfer", "Uploads", "Receiver", "Support",
            ]),
        .testTarget(
            name: "FerryTests",
            dependencies: [
                "ferry", "Receiver", "Transfer", "UploadProtocols", "Connectivity", "Uploads", "Support",
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
for target in package.targets where !["CTerminal", "CChild", "LibraryTests"].contains(target.name) {
    // Imports stay internal and per file, so a dependency that leaks into our interface shows as `public import`.
    target.swiftSettings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        .map { .enableUpcomingFeature($0) }
}
