// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Ferry",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "ferry", targets: ["FerryCommand"]),
        // The library for other programs: all modules except those of the screen and of the executable. A program
        // imports `Ferry`, or only the modules that it needs.
        .library(
            name: "Ferry",
            targets: [
                "Ferry", "FerryProtocols", "FerryConnectivity", "FerryTransfer", "FerryRequests",
                "FerryUploads", "FerryReceiver",
            ]),
    ],
    dependencies: [
        // File descriptors, error codes and `stat` as Swift types, the same on Linux and Darwin. swift-nio needs this
        // package too, so it costs nothing. swift-subprocess (1.0.2) is not used, because it cannot start a child that
        // outlives its parent, as Ferry's engine does. It stops reading output when the child ends, even if processes
        // of the child still write. It also needs Swift 6.2.
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        // Each comment below says why Ferry needs a package, and how many CPU seconds it adds to a clean debug build.
        // Tests/Tools/costs.py measures the seconds.

        // The HTTP client. It sends regions of files, applies back-pressure, and had the best measurements of all
        // clients in Swift. 11 s, and 30 s for the packages that it needs: HTTP/2, Algorithms, Configuration, Tracing.
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        // Buffers, file regions, event loops and thread pools for the HTTP client and the receiver. 42 s, and 10 s for
        // Atomics and DequeModule.
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        // Not imported, because Ferry speaks HTTP/1.1. The package is listed for its minimum version: the HTTP client
        // alone would accept a version with known weaknesses (Sources/Manual/security.md).
        .package(url: "https://github.com/apple/swift-nio-http2", from: "1.45.0"),
        // TLS for the HTTP client and the receiver, with private authorities and client certificates. 113 s, because
        // the package contains BoringSSL.
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
        // Digests and signatures of uploads, computed with special instructions of the processor. 74 s, because the
        // package contains BoringSSL again. swift-nio-ssl does not offer its own copy as a product.
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        // HTTP types for the receiver, and the errors that a SOCKS proxy reports. 4 s, and the HTTP client needs it.
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        // HTTP methods, status codes and header fields, the same types for the client and the receiver. 3 s.
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        // A parser of structured fields (RFC 9651), which the IETF's resumable uploads use. It passes their test
        // vectors. 2 s.
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        // Subcommands, help texts and shell completions of the command `ferry`. 8 s.
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        // A heap for the scheduler and the timers. 1 s. swift-nio builds other parts of this package anyway.
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        // The interface of loggers, to which the library writes its events. 2 s, and the HTTP client needs it.
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        // Imported to see whether the program has a tracer: without one, the HTTP client makes no spans. The HTTP client
        // needs this package anyway.
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        // Counters and timers, which a program that uses the library can send to any metrics backend. 2 s.
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    ],
    targets: [
        // A target may import only targets listed above it. The names contain the name of the product, because SwiftPM
        // refuses a build in which two packages have modules of the same name.
        .target(
            name: "CFerryTerminal", path: "Sources/CTerminal", linkerSettings: [.linkedLibrary("ncursesw")]),
        // Declarations of the C library that Swift does not import by itself, and checksums by special instructions.
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
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            path: "Sources/Transfer"),
        // The API for programs that send HTTP requests of their own.
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
        // Exports the modules above as one module. Its folder is not Sources/Ferry, because the executable's module
        // FerryCommand has the folder Sources/ferry. Some file systems do not distinguish the two.
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
        // A disk in memory that can fail, stop or lose unsynced bytes, for tests of the queue's files.
        .target(
            name: "FerryStateSimulation",
            dependencies: ["FerryProtocols", "FerryTransfer", "FerryUploads", "FerryTestSupport"],
            path: "Tests/Simulation/State"),
        // Tests the queue's files on a real disk with killed processes, power cuts, failing system calls and damaged
        // files. Tests/faults runs it.
        .executableTarget(
            name: "fault-lab",
            dependencies: [
                "FerryTransfer", "FerryUploads", "FerryTestSupport", "FerryStateSimulation",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Simulation/FaultLab"),
        // A proxy that simulates a bad network link between a client and a server, for manual tests and for
        // Tests/bench.
        .executableTarget(
            name: "faulty-link",
            dependencies: [
                "FerryTestSupport", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Tools/FaultyLink"),
        // Runs the real queue and the real store of its journal on one thread. A seed determines the clock, the
        // network, the disk, the users and the crashes.
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
        // Runs the value types of the queue, its journal and the protocols on one thread in virtual time, from a seed.
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
        // Replays stored inputs of the fuzzers. Tests/fuzz compiles the same code for libFuzzer.
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
                "FerryUploads", "FerryReceiver", "FerryTUI", "FerryTestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Unit/ferry"),
        // The examples of the documentation. Like a user's code, they import the module `Ferry`.
        .testTarget(name: "LibraryTests", dependencies: ["Ferry", "FerryTestSupport"]),
        // Starts the program. It does not import the module FerryCommand, so the two compile at the same time.
        .testTarget(
            name: "FerryTests",
            dependencies: [
                "FerryReceiver", "FerryTransfer", "FerryRequests", "FerryProtocols", "FerryUploads",
                "FerryTestSupport",
                // A server for resumable uploads that is not a part of Ferry.
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

// LibraryTests has no settings, so that the examples of the documentation compile like the code of a user.
for target in package.targets
where !["CFerryTerminal", "CFerryFiles", "LibraryTests"].contains(target.name) {
    // By these settings, imports are internal and apply to one file. A dependency that is a part of a public interface
    // therefore needs `public import`.
    target.swiftSettings = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        .map { .enableUpcomingFeature($0) }
}
