import ArgumentParser

/// Whether the meter has colours, as `--color` takes it.
enum ColorChoice: String, ChoiceArgument {
    case auto, always, never
}
