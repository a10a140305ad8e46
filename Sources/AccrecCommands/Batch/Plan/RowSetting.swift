/// What a row of a manifest says of an option, or what holds where it says nothing.
struct RowSetting {
    let setting: Setting
    /// What the row calls the option.
    let key: String
    /// Where it says so, counted from 1.
    let line: Int

    var option: OptionDefinition { setting.option }
    var isOutput: Bool { option.name == "output" }

    init(_ option: OptionDefinition, _ value: String, of entry: ManifestEntry) {
        setting = Setting(option: option, value: value, origin: .commandLine)
        (key, line) = (entry.key, entry.line)
    }

    /// What the manifest does not say.
    init(_ setting: Setting) {
        self.setting = setting
        (key, line) = (setting.option.name, 1)
    }
}
