// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error)
]
// What takes time in tests is the library and the servers; to optimise the tests takes longer than to build the library.
let testSettings: [SwiftSetting] = settings + [.unsafeFlags(["-Onone"])]
// A file sees what it imports, and no more: an import of Foundation by a dependency would bring all of it into the binary.
let productSettings: [SwiftSetting] = settings + [.enableUpcomingFeature("MemberImportVisibility")]

// To optimise the commands takes longer than their tests, too; tests on servers drive the installed, optimised binary.
let isBuiltForTests = Context.environment["ACCREC_TESTS"] != nil
let commandSettings: [SwiftSetting] = productSettings + (isBuiltForTests ? [.unsafeFlags(["-Onone"])] : [])

// What is not run under the sanitisers is not built for them.
let isSanitized = Context.environment["ACCREC_TESTS"] == "sanitized"
let stressTests = ["Recorder/RecorderFixture.swift", "Recorder/StressTests.swift"]
let unsanitizedTests: [Target] =
    isSanitized
    ? []
    : [
        // Code as an app for iOS has it, which sees the public API only.
        .testTarget(
            name: "ClientTests",
            dependencies: ["ACCAudioRecorder", "TestSupport"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "CommandTests",
            dependencies: ["TestSupport"],
            swiftSettings: testSettings
        ),
    ]

// The benchmarks see what is internal to the library: they are built with `-enable-testing`, as `make bench` does.
let benchmarks: [Target] =
    Context.environment["ACCREC_BENCHMARKS"] == nil
    ? []
    : [
        // What is measured by the clock.
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "ACCAudioRecorder", "SyntheticTakes",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Benchmarks/Benchmarks",
            swiftSettings: settings
        ),
        // What is measured by the instructions that it takes.
        .executableTarget(
            name: "CountedWork",
            dependencies: ["ACCAudioRecorder", "CCallgrind", "SyntheticTakes"],
            path: "Benchmarks/CountedWork",
            swiftSettings: settings
        ),
        // When fragments arrive from a server, for tests.
        .executableTarget(
            name: "ArrivalTrace",
            dependencies: ["ACCAudioRecorder"],
            path: "Benchmarks/ArrivalTrace",
            swiftSettings: settings
        ),
        .systemLibrary(name: "CCallgrind", path: "Benchmarks/CCallgrind"),
        // Sources, samples and takes that no server is needed for.
        .target(
            name: "SyntheticTakes",
            dependencies: ["ACCAudioRecorder"],
            path: "Benchmarks/SyntheticTakes",
            swiftSettings: settings
        ),
    ]

let package = Package(
    name: "accrec",
    products: [
        .library(name: "ACCAudioRecorder", targets: ["ACCAudioRecorder"]),
        .executable(name: "accrec", targets: ["accrec"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    ],
    targets: [
        // The command line: one file that starts what the library of commands defines.
        .executableTarget(
            name: "accrec",
            dependencies: ["AccrecCommands"],
            swiftSettings: productSettings
        ),
        .target(
            name: "AccrecCommands",
            dependencies: [
                "ACCAudioRecorder", "CLink", "CSpawn", "CWideCharacter",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: commandSettings
        ),

        // The recorder, and the C libraries that it stands on.
        .target(
            name: "ACCAudioRecorder",
            dependencies: [
                "CPulse", "CSndFile", "CSampleRate", "CSemaphore", "CThreadName",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: productSettings
        ),
        // Without pkgConfig, because SwiftPM would warn of flags in libpulse's file with every build.
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CSampleRate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
        .systemLibrary(name: "CLink"),
        .systemLibrary(name: "CSemaphore"),
        .systemLibrary(name: "CSpawn"),
        .systemLibrary(name: "CThreadName"),
        .systemLibrary(name: "CWideCharacter"),

        // Tests: without a server, against private servers, and through the built binary.
        .target(
            name: "TestSupport",
            dependencies: ["CSndFile"],
            path: "Tests/Support",
            swiftSettings: settings
        ),
        .testTarget(
            name: "UnitTests",
            dependencies: [
                "ACCAudioRecorder", "AccrecCommands", "CPulse", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Engine/Traces"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "ServerTests",
            dependencies: ["ACCAudioRecorder", "TestSupport"],
            sources: isSanitized ? stressTests : nil,
            swiftSettings: testSettings
        ),
    ] + unsanitizedTests + benchmarks,
    swiftLanguageModes: [.v6]
)
