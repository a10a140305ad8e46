import ACCAudioRecorder
import ArgumentParser

extension Container: ExpressibleByArgument {}
