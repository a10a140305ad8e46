import ArgumentParser

/// Whether the meter has colours, as `--color` takes it.
enum ColorChoice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
}
