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
                "Ferry", "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryRequests",
                "FerryUploads", "FerryReceiver",
            ]),
    ],
    dependencies: [
        // Descriptors, error codes and `stat` as values, the same on Linux and Darwin; under swift-nio already, so it costs
        // nothing. Not swift-subprocess (1.0.2): it has no child that outlives the parent, as the engine does, it stops
        // reading when the child ends, though what it started goes on writing, and it wants Swift 6.2.
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        // Why each one is here, and what it costs: CPU seconds of a clean debug build, by Tests/Tools/costs.py.

        // The HTTP engine: file regions, back-pressure and the best figures measured from Swift. 11 s, and 30 s for what
        // it brings: HTTP/2, Algorithms, Configuration, Tracing.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Buffers, file regions, event loops and thread pools under the HTTP client and the receiver. 42 s, and 10 s for
        // Atomics and DequeModule.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        // Neither imported nor reached, since Ferry speaks HTTP/1.1: the HTTP client would take a version with known
        // weaknesses (Sources/Manual/security.md).
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.45.0"),
        // TLS of the HTTP client and the receiver: private authorities, client certificates. 113 s: a BoringSSL.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        // Digests and signatures of what is sent, at the speed of the processor's own instructions. 74 s: another
        // BoringSSL, since that of swift-nio-ssl is no product.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // HTTP types for the receiver, and the reasons that a SOCKS proxy gives. 4 s, and the HTTP client needs it.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        // Methods, status codes and ordered case-insensitive fields, the same on both ends of the wire. 3 s.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // Structured fields (RFC 9651) of the IETF's resumable uploads, tested against their vectors. 2 s.
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        // Subcommands, help and shell completions. 8 s.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // A heap for the scheduler and the timers. 1 s; swift-nio builds other parts of it anyway.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // The logger that a library user may have events written to. 2 s, and the HTTP client needs it.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // Counters and timers for whatever backend a library user has. 2 s.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        // A target may import only targets listed above it. The names carry the product's, because SwiftPM refuses two
        // modules of one name among all packages of a build.
        .target(
            name: "CFerryTerminal", path: "Sources/CTerminal", linkerSettings: [.linkedLibrary("ncursesw")]),
        // Two declarations of the C library that Swift does not see, and checksums by instructions.
        .systemLibrary(name: "CFerryFiles", path: "Sources/CFiles"),
        .target(
            name: "FerryFiles",
            dependencies: ["CFerryFiles", .product(name: "SystemPackage", package: "swift-system")],
            path: "Sources/Files"),
        .target(
            name: "FerryProtocols",
            dependencies: [
                "CFerryFiles", "FerryFiles",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ],
            path: "Sources/UploadProtocols"),
        .target(name: "FerryConnectivity", dependencies: ["FerryFiles"], path: "Sources/Connectivity"),
        .target(
            name: "FerryTransfer",
            dependencies: [
                "FerryFiles", "FerryProtocols", "FerryConnectivity",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOSOCKS", package: "swift-nio-extras"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Transfer"),
        // The front door for programs that make requests of their own.
        .target(
            name: "FerryRequests",
            dependencies: [
                "FerryFiles", "FerryProtocols", "FerryConnectivity", "FerryTransfer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/Requests"),
        .target(
            name: "FerryUploads",
            dependencies: [
                "FerryFiles", "FerryProtocols", "FerryConnectivity", "FerryTransfer",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            path: "Sources/Uploads"),
        .target(
            name: "FerryReceiver",
            dependencies: [
                "FerryFiles", "FerryProtocols",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Receiver"),
        // Exports the layers above as one module. The executable's module is FerryCommand, and its folder Sources/ferry:
        // where case does not count, a folder Sources/Ferry would be the same.
        .target(
            name: "Ferry",
            dependencies: [
                "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryRequests", "FerryUploads",
                "FerryReceiver",
            ],
            path: "Sources/Library"),
        // The pages of the manual, which `ferry help TOPIC` shows.
        .target(
            name: "CFerryManual", path: "Sources/Manual/Embedded", cSettings: [.headerSearchPath("..")]),
        .target(
            name: "FerryTUI",
            dependencies: [
                "FerryFiles", "FerryProtocols", "FerryTransfer", "FerryUploads", "CFerryTerminal",
            ],
            path: "Sources/TUI"),
        .executableTarget(
            name: "FerryCommand",
            dependencies: [
                "FerryFiles", "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryUploads",
                "FerryReceiver", "FerryTUI", "CFerryManual",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
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
            path: "Tests/Simulation/State"),
        // Kills, power cuts, failing calls and damage for the queue's files on a real disk; Tests/faults runs it.
        .executableTarget(
            name: "fault-lab",
            dependencies: [
                "FerryTransfer", "FerryUploads", "FerryTestSupport", "FerryStateSimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Simulation/FaultLab"),
        // A bad link between a client and a server, for trials by hand and for Tests/bench.
        .executableTarget(
            name: "faulty-link",
            dependencies: [
                "FerryTestSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Tools/FaultyLink"),
        // The real queue and the real store of its journal on one thread, with clock, network, disk, people and crashes
        // from a seed.
        .target(
            name: "FerryQueueSimulation",
            dependencies: [
                "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryUploads", "FerryTestSupport",
                "FerryStateSimulation",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Simulation/Queue"),
        .executableTarget(
            name: "queue-simulation", dependencies: ["FerryQueueSimulation"],
            path: "Tests/Simulation/QueueCommand"),
        // The values of the engine, queue, journal and protocols, on one thread in virtual time, from a seed.
        .target(
            name: "FerryEngineSimulation",
            dependencies: [
                "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryUploads", "FerryTestSupport",
                "FerryStateSimulation", "FerryQueueSimulation",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            path: "Tests/Simulation/Engine"),
        .executableTarget(
            name: "engine-simulation",
            dependencies: [
                "FerryEngineSimulation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Simulation/EngineCommand"),
        .testTarget(
            name: "UploadProtocolsTests", dependencies: ["FerryProtocols", "FerryTestSupport"],
            path: "Tests/Unit/UploadProtocols", resources: [.copy("Vectors")]),
        .testTarget(
            name: "ConnectivityTests", dependencies: ["FerryConnectivity", "FerryTestSupport"],
            path: "Tests/Unit/Connectivity"),
        .testTarget(
            name: "TransferTests",
            dependencies: ["FerryTransfer", "FerryProtocols", "FerryConnectivity", "FerryTestSupport"],
            path: "Tests/Unit/Transfer"),
        .testTarget(
            name: "RequestsTests",
            dependencies: [
                "FerryRequests", "FerryTransfer", "FerryProtocols", "FerryConnectivity", "FerryTestSupport",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            path: "Tests/Unit/Requests"),
        .testTarget(
            name: "UploadsTests", dependencies: ["FerryUploads", "FerryTestSupport", "FerryStateSimulation"],
            path: "Tests/Unit/Uploads", exclude: ["Persistence/Fixtures"]),
        .testTarget(
            name: "FaultTests", dependencies: ["fault-lab", "FerryTestSupport", "FerryStateSimulation"],
            path: "Tests/Simulation/FaultTests"),
        .testTarget(
            name: "QueueSimulationTests", dependencies: ["FerryQueueSimulation", "queue-simulation"],
            path: "Tests/Simulation/QueueTests"),
        .testTarget(
            name: "EngineSimulationTests", dependencies: ["FerryEngineSimulation", "engine-simulation"],
            path: "Tests/Simulation/EngineTests"),
        .testTarget(
            name: "ReceiverTests",
            dependencies: [
                "FerryReceiver", "FerryProtocols", "FerryTestSupport",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Tests/Unit/Receiver"),
        // Replays the fuzzers' inputs; Tests/fuzz compiles the same surfaces for libFuzzer.
        .testTarget(
            name: "FuzzTests",
            dependencies: [
                "FerryFiles", "FerryProtocols", "FerryTransfer", "FerryUploads", "FerryReceiver", "FerryTUI",
                "FerryCommand", .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/Fuzzing", exclude: ["Corpora", "Fuzzer.swift"]),
        .testTarget(
            name: "TUITests", dependencies: ["FerryTUI", "FerryTestSupport"], path: "Tests/Unit/TUI"),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "FerryCommand", "FerryFiles", "FerryProtocols", "FerryConnectivity", "FerryTransfer",
                "FerryUploads", "FerryTUI", "FerryTestSupport",
            ],
            path: "Tests/Unit/ferry"),
        // The examples of the documentation, with what a user of the product imports.
        .testTarget(name: "LibraryTests", dependencies: ["Ferry", "FerryTestSupport"]),
        .testTarget(
            name: "FerryTests",
            dependencies: [
                "FerryCommand", "FerryReceiver", "FerryTransfer", "FerryRequests", "FerryProtocols",
                "FerryConnectivity",
                "FerryUploads", "FerryTestSupport",
                // Another's server of resumable uploads.
                .product(name: "NIOResumableUpload", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Tests/EndToEnd"),
    ]
)

// The examples are compiled as a user's code is: with the language's own settings.
for target in package.targets
where !["CFerryTerminal", "CFerryFiles", "LibraryTests"].contains(target.name) {
    // Imports stay internal and per file, so a dependency that leaks into our interface shows as `public import`.
    target.swiftSettings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        .map { .enableUpcomingFeature($0) }
}
