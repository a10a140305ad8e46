import ACCAudioRecorder
import ArgumentParser

extension OverflowPolicy: ChoiceArgument {}
