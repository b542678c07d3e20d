// swift-tools-version: 6.1
import PackageDescription

// This is a separate package, because no build of Ferry needs it.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Ferry", path: "../../.."),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.2"),
    ],
    targets: [
        .executableTarget(
            name: "http-versions",
            dependencies: [
                .product(name: "Ferry", package: "Ferry"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .executableTarget(
            name: "queue-size", dependencies: [.product(name: "Ferry", package: "Ferry")]),
    ]
)
