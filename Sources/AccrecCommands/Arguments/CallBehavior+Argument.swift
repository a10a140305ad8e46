import ACCAudioRecorder
import ArgumentParser

extension InterruptionPolicy.CallBehavior: ChoiceArgument {}
