// swift-tools-version: 6.2

import PackageDescription

// A package of its own: only these two examples need a network library, which takes longer to build than all others.

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let shared: [Target.Dependency] = [
    .product(name: "ACCAudioRecorder", package: "accrec"),
    .product(name: "ArgumentParser", package: "swift-argument-parser"),
    .product(name: "UnixSignals", package: "swift-service-lifecycle"),
]
let webSocket: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"].map {
    .product(name: $0, package: "swift-nio")
}
let web: [Target.Dependency] = [
    .product(name: "Hummingbird", package: "hummingbird"),
    .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
    .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]

let package = Package(
    name: "Network",
    dependencies: [
        .package(name: "accrec", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(name: "VoiceAgent", dependencies: shared + webSocket, swiftSettings: settings),
        .executableTarget(name: "LevelsPage", dependencies: shared + web, swiftSettings: settings),
        .testTarget(
            name: "VoiceAgentTests", dependencies: ["VoiceAgent"] + shared + webSocket, swiftSettings: settings),
        .testTarget(
            name: "LevelsPageTests",
            dependencies: [
                "LevelsPage", .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ] + shared + web, swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
