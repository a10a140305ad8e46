/// An option's setting, either from a row of a manifest or a default.
struct RowSetting {
    let setting: Setting
    /// The row's key for the option.
    let key: String
    /// The line of the key, counted from 1.
    let line: Int

    var option: OptionDefinition { setting.option }
    var isOutput: Bool { option.name == "output" }

    init(_ option: OptionDefinition, _ value: String, of entry: ManifestEntry) {
        setting = Setting(option: option, value: value, origin: .commandLine)
        (key, line) = (entry.key, entry.line)
    }

    /// A setting that does not come from the manifest.
    init(_ setting: Setting) {
        self.setting = setting
        (key, line) = (setting.option.name, 1)
    }
}
