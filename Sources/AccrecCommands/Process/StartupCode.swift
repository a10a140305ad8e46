import Glibc

/// The machine code that a recording needs only to start: the argument parser, the configuration, the connection.
enum StartupCode {
    /// Takes it out of this process's memory, of which it is about a third.
    ///
    /// Code is never written to, so what runs again is mapped again from the system's file cache. Only debuggers write to
    /// it, so debug builds keep it.
    static func release() {
        #if !DEBUG
        for mapping in codeMappings() {
            madvise(UnsafeMutableRawPointer(bitPattern: mapping.lowerBound), mapping.count, MADV_DONTNEED)
        }
        #endif
    }

    /// The addresses of code that is mapped from files, from proc_pid_maps(5).
    private static func codeMappings() -> [Range<UInt>] {
        guard let memoryMap = fopen("/proc/self/maps", "re") else { return [] }
        defer { fclose(memoryMap) }
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        var mappings: [Range<UInt>] = []
        while getline(&line, &capacity, memoryMap) > 0, let line {
            // As in `7f10a000-7f20b000 r-xp 00026000 fe:00 4242    /lib/libc.so.6`.
            let fields = String(cString: line).split(separator: " ", maxSplits: 5)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].contains("/") else { continue }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, bounds[0] < bounds[1] else { continue }
            mappings.append(bounds[0]..<bounds[1])
        }
        return mappings
    }
}
