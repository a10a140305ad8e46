import CFileSystem
import Glibc

/// The file system of a directory, as far as files of a recording must fit it.
struct HostFileSystem: Sendable, Hashable {
    /// The directory, or the nearest one above it that exists.
    let directory: String
    /// The number of its kind, by linux/magic.h.
    private let kind: Int

    private static let (fat, exFAT, fuse) = (0x4d44, 0x2011_bab0, 0x6573_5546)
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
    var largestFile: Int? { kind == Self.fat ? Self.largestFileOfFAT : nil }

    /// The precision of its times in seconds; 0 for exact ones.
    var timePrecision: Int { kind == Self.fat || kind == Self.exFAT ? 2 : 0 }

    /// The size in bytes that no file of this process exceeds (`ulimit -f`); nil if there is none.
    static var largestFileOfProcess: Int? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return nil }
        return limit.rlim_cur < UInt(Int.max) ? Int(limit.rlim_cur) : nil
    }

    /// A path with hyphens in its last part for the characters that FAT and exFAT refuse. Behind FUSE may be any file system, so
    /// it is asked.
    ///
    /// - Parameter takes: Whether a file with this path can be created.
    func fitting(_ path: String, _ takes: (String) -> Bool = Self.takes) -> String {
        let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
        let refused = path[start...].filter(Self.refusedCharacters.contains)
        guard !refused.isEmpty else { return path }
        switch kind {
        case Self.fat, Self.exFAT: break
        case Self.fuse:
            // A directory in which no file can be created refuses no character.
            let probes = [refused, "-"].map { "\(directory)/.accrec-\(getpid())\($0)" }
            guard !takes(probes[0]), takes(probes[1]) else { return path }
        default: return path
        }
        return path[..<start] + String(path[start...].map { Self.refusedCharacters.contains($0) ? "-" : $0 })
    }

    /// What FAT and exFAT refuse.
    static let refusedCharacters = #":*?"<>|\"#

    private static func takes(_ path: String) -> Bool {
        let file = open(path, O_CREAT | O_EXCL | O_CLOEXEC | O_WRONLY, 0o600)
        guard file >= 0 else { return errno == EEXIST }
        close(file)
        unlink(path)
        return true
    }
}
