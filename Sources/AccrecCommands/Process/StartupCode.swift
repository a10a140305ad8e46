import CLink
import Glibc

/// The machine code that a recording needs only to start: the argument parser, the configuration, the connection.
enum StartupCode {
    /// Takes it out of this process's memory, of which it is about a third.
    ///
    /// Code is never written to, so what runs again is mapped again from the system's file cache. Only debuggers write to
    /// it, so debug builds keep it.
    static func release() {
        #if !DEBUG
        dl_iterate_phdr(
            { object, _, _ in
                guard let object = object?.pointee else { return 0 }
                for segment in UnsafeBufferPointer(start: object.dlpi_phdr, count: Int(object.dlpi_phnum))
                where segment.p_type == PT_LOAD && segment.p_flags == PF_R | PF_X {
                    let pageSize = UInt(getpagesize())
                    let start = (UInt(object.dlpi_addr) + UInt(segment.p_vaddr)) / pageSize * pageSize
                    let end = UInt(object.dlpi_addr) + UInt(segment.p_vaddr) + UInt(segment.p_memsz)
                    // The kernel's own object is refused, which is right.
                    madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_DONTNEED)
                }
                return 0
            }, nil)
        #endif
    }
}
