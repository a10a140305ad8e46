import Glibc
import SystemPackage

/// A pipe that child processes do not inherit.
struct PipeEnds: ~Copyable {
    let reading: OpenDescriptor
    let writing: OpenDescriptor

    init() throws(Errno) {
        let ends = try FileDescriptor.pipe(options: .closeOnExec)
        reading = OpenDescriptor(number: ends.readEnd.rawValue)
        writing = OpenDescriptor(number: ends.writeEnd.rawValue)
    }
}

/// A descriptor that is closed when deinitialised.
struct OpenDescriptor: ~Copyable {
    let number: Int32

    /// Transfers ownership of the descriptor without closing it.
    consuming func release() -> Int32 {
        let number = number
        discard self
        return number
    }

    deinit {
        close(number)
    }
}
