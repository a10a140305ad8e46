import ACCAudioRecorder

extension ACCAudioRecorder.Configuration {
    /// This configuration with other settings.
    func with(_ change: (inout Self) -> Void) -> Self {
        var changed = self
        change(&changed)
        return changed
    }
}
