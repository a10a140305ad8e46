// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error), .unsafeFlags(["-Onone"]),
]

// What runs under the sanitisers: the library with those of its tests that need no server, and with the stress tests. The
// commands and their parser, which share no memory between threads, are not built. The folders here are links.
let package = Package(
    name: "Sanitizers",
    dependencies: [
        .package(name: "accrec", path: "../.."),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        .testTarget(
            name: "LibraryUnitTests",
            dependencies: [
                "TestSupport",
                .product(name: "ACCAudioRecorder", package: "accrec"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            path: "LibraryUnitTests",
            exclude: ["Engine/Traces"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ServerTests",
            dependencies: ["TestSupport", .product(name: "ACCAudioRecorder", package: "accrec")],
            path: "ServerTests",
            sources: ["Recorder/RecorderFixture.swift", "Recorder/StressTests.swift"],
            swiftSettings: settings
        ),
        .target(
            name: "TestSupport",
            dependencies: [.product(name: "ACCAudioRecorder", package: "accrec")],
            path: "Support",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
