// swift-tools-version: 6.2

import PackageDescription

/// One executable per example.
let examples = ["SaveToFile", "RecordToFiles", "SecondConsumer", "TwoViews", "ViewModel"]

let package = Package(
    name: "Examples",
    dependencies: [
        .package(name: "accrec", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: examples.map { example in
        .executableTarget(
            name: example,
            dependencies: [
                .product(name: "ACCAudioRecorder", package: "accrec"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    } + [
        .testTarget(
            name: "ViewModelTests",
            dependencies: ["ViewModel", .product(name: "ACCAudioRecorder", package: "accrec")],
            swiftSettings: [.treatAllWarnings(as: .error)]
        )
    ],
    swiftLanguageModes: [.v6]
)
