// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error)
]

// Measurements see what is internal to the library: they are built with `-enable-testing`, as `make bench` does.
let package = Package(
    name: "Benchmarks",
    dependencies: [
        .package(name: "accrec", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        // What is measured by the clock.
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "SyntheticRecordings",
                .product(name: "ACCAudioRecorder", package: "accrec"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Benchmarks",
            swiftSettings: settings
        ),
        // What is measured by the instructions that it takes.
        .executableTarget(
            name: "CountedWork",
            dependencies: [
                "CCallgrind", "SyntheticRecordings", .product(name: "ACCAudioRecorder", package: "accrec"),
            ],
            path: "CountedWork",
            swiftSettings: settings
        ),
        .systemLibrary(name: "CCallgrind", path: "CCallgrind"),
        // When fragments arrive from a server, for tests.
        .executableTarget(
            name: "ArrivalTrace",
            dependencies: [.product(name: "ACCAudioRecorder", package: "accrec")],
            path: "ArrivalTrace",
            swiftSettings: settings
        ),
        // What is found of seeded losses of a synthetic source, which are those of the unit tests.
        .executableTarget(
            name: "Account",
            dependencies: ["TestSupport", .product(name: "ACCAudioRecorder", package: "accrec")],
            path: "Account",
            swiftSettings: settings
        ),
        // Links to what the deliveries need of the tests' support.
        .target(name: "TestSupport", path: "TestSupport", swiftSettings: settings),
        // Sources, samples and recordings that no server is needed for.
        .target(
            name: "SyntheticRecordings",
            dependencies: [.product(name: "ACCAudioRecorder", package: "accrec")],
            path: "SyntheticRecordings",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
