extension String {
    /// Words joined by underscores instead of capitals: `deviceLost` is `device_lost`.
    var snakeCased: String {
        map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
    }
}
