import ACCAudioRecorder
import ArgumentParser

extension OverflowPolicy: ExpressibleByArgument {}
