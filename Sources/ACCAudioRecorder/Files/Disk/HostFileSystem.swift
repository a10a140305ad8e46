import CFileSystem
import Glibc

/// The file system of a directory, as far as files of a recording must fit it.
package struct HostFileSystem: Sendable, Hashable {
    /// The directory, or the nearest one above it that exists.
    package let directory: String
    /// The number of its kind, by linux/magic.h.
    private let kind: Int

    private static let (fat, exFAT) = (0x4d44, 0x2011_bab0)
    /// 4 GiB less one byte.
    private static let largestFileOfFAT = Int(UInt32.max)

    /// Nil if the system does not tell.
    init?(of directory: String) {
        var disk = statfs()
        var existing = directory.isEmpty ? "." : directory
        while statfs(existing, &disk) != 0 {
            guard errno == ENOENT, existing != ".", existing != "/" else { return nil }
            existing = AtomicFile.directory(of: existing)
        }
        self.init(directory: existing, kind: Int(disk.f_type))
    }

    /// - Parameter kind: By linux/magic.h.
    init(directory: String, kind: Int) {
        (self.directory, self.kind) = (directory, kind)
    }

    /// The size in bytes that none of its files exceeds; nil if there is none that matters.
    package var largestFile: Int? { kind == Self.fat ? Self.largestFileOfFAT : nil }

    /// The precision of its times in seconds; 0 for exact ones.
    var timePrecision: Int { kind == Self.fat || kind == Self.exFAT ? 2 : 0 }

    /// The size in bytes that no file of this process exceeds (`ulimit -f`); nil if there is none.
    package static var largestFileOfProcess: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur < UInt(Int.max) ? Int(limit.rlim_cur) : nil
    }

    /// A path with the characters of its last part that FAT and exFAT refuse as hyphens.
    func fitting(_ path: String) -> String {
        guard kind == Self.fat || kind == Self.exFAT else { return path }
        let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        return path[..<start] + String(path[start...].map { #":*?"<>|\"#.contains($0) ? "-" : $0 })
    }
}
