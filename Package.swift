// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error)
]
// What takes time in tests is the library and the servers; to optimise the tests takes longer than to build the library.
let testSettings: [SwiftSetting] = settings + [.unsafeFlags(["-Onone"])]
// A file sees what it imports, and no more: an import of Foundation by a dependency would bring all of it into the binary.
let productSettings: [SwiftSetting] = settings + [.enableUpcomingFeature("MemberImportVisibility")]
// For the span of a buffer's samples, which lasts as long as the buffer.
let librarySettings: [SwiftSetting] = productSettings + [.enableExperimentalFeature("Lifetimes")]

// The binary runs where no Swift is installed. An option of `swift build` would apply to the tests as well, which need the
// shared runtime.
let staticRuntime: [LinkerSetting] = [
    .unsafeFlags(["-static-stdlib"]), .linkedLibrary("_FoundationCShims"), .linkedLibrary("_FoundationCollections"),
]
// Nothing that is read-only once the program has started stays writable. The system's linker would leave constants writable,
// and relocations that are not packed would cost each recording a megabyte.
let hardening: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld"]
            + ["-z", "now", "-z", "pack-relative-relocs", "\(Context.packageDirectory)/Sources/accrec/sections.ld"]
            .flatMap { ["-Xlinker", $0] })
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
            exclude: ["sections.ld"],
            swiftSettings: productSettings,
            linkerSettings: staticRuntime + hardening
        ),
        .target(
            name: "AccrecCommands",
            dependencies: [
                "ACCAudioRecorder", "CMalloc", "CSpawn", "CWideCharacter", "TOML",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            // The parser and the messages run once, but their pages count as memory of the recording.
            swiftSettings: productSettings + [.unsafeFlags(["-Osize"], .when(configuration: .release))]
        ),

        .target(name: "TOML", swiftSettings: productSettings),

        // The recorder, and the C libraries that it stands on.
        .target(
            name: "ACCAudioRecorder",
            dependencies: [
                "CPulse", "CSndFile", "CSampleRate", "CKissFFT", "CSemaphore", "CFileSystem", "CThreadName",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: librarySettings
        ),
        // Without pkgConfig, because SwiftPM would warn of flags in libpulse's file with every build.
        .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
        .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
        .systemLibrary(name: "CSampleRate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
        // Without pkgConfig, because it defines macros, which SwiftPM refuses.
        .systemLibrary(name: "CKissFFT", providers: [.apt(["libkissfft-dev"])]),
        .systemLibrary(name: "CSemaphore"),
        .systemLibrary(name: "CFileSystem"),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CSpawn"),
        .systemLibrary(name: "CThreadName"),
        .systemLibrary(name: "CWideCharacter"),

        // Tests without a server, of the library and of the commands. The first are also in Tests/Sanitizers/Package.swift.
        .testTarget(
            name: "LibraryUnitTests",
            dependencies: [
                "ACCAudioRecorder", "CPulse", "TestSupport", .product(name: "SystemPackage", package: "swift-system"),
            ],
            exclude: ["Engine/Traces"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "CommandUnitTests",
            dependencies: [
                "ACCAudioRecorder", "AccrecCommands", "TOML", "TestSupport",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: testSettings
        ),
        // Tests on private servers: of the library, of the library as an app for iOS uses it, and of the built binary.
        .testTarget(
            name: "ServerTests",
            dependencies: ["ACCAudioRecorder", "TestSupport"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "ClientTests",
            dependencies: ["ACCAudioRecorder", "TestSupport"],
            swiftSettings: testSettings
        ),
        .testTarget(
            name: "CommandTests",
            dependencies: ["ACCAudioRecorder", "TestSupport"],
            swiftSettings: testSettings
        ),
        .target(
            name: "TestSupport",
            dependencies: ["ACCAudioRecorder", "CSndFile"],
            path: "Tests/Support",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
