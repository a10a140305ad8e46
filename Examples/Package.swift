// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let recorder = Target.Dependency.product(name: "ACCAudioRecorder", package: "accrec")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// One executable per example, with what it shares with others.
let examples: KeyValuePairs<String, [Target.Dependency]> = [
    "SaveToFile": [], "RecordToFiles": [], "SecondConsumer": [], "TwoViews": [], "ViewModel": [],
    "Dictation": ["Terminal"], "Meeting": ["Terminal"],
]

let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "accrec", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [.target(name: "Terminal", swiftSettings: settings)]
        + examples.map { example, shared in
            .executableTarget(name: example, dependencies: [recorder, arguments] + shared, swiftSettings: settings)
        }
        + ["ViewModel", "Dictation", "Meeting"].map { example in
            .testTarget(
                name: "\(example)Tests", dependencies: [.byName(name: example), recorder], swiftSettings: settings)
        },
    swiftLanguageModes: [.v6]
)
