import ACCAudioRecorder
import ArgumentParser

extension Container: ChoiceArgument {}
