import Glibc

/// An extended regular expression of POSIX, which has to match a text as a whole.
///
/// One of Swift costs each recording half a megabyte of memory.
struct Pattern: ~Copyable {
    private let expression = UnsafeMutablePointer<regex_t>.allocate(capacity: 1)
    private let groupCount: Int

    /// - Parameter expression: Must be valid.
    init(_ expression: StaticString, ignoresCase: Bool = false) {
        self.expression.initialize(to: regex_t())
        let flags = REG_EXTENDED | (ignoresCase ? REG_ICASE : 0)
        let result = regcomp(self.expression, "^(\(expression))$", flags)
        precondition(result == 0, "'\(expression)' is no regular expression")
        groupCount = self.expression.pointee.re_nsub
    }

    deinit {
        regfree(expression)
        expression.deallocate()
    }

    /// What its groups match of a text, counted from 0; nil for those that take no part. Nil if the text does not match.
    func groups(of text: String) -> [String?]? {
        let bytes = Array(text.utf8)
        guard !bytes.contains(0) else { return nil }
        var ranges = [regmatch_t](repeating: regmatch_t(), count: groupCount + 1)
        guard regexec(expression, text, ranges.count, &ranges, 0) == 0 else { return nil }
        // The first two are the whole.
        return ranges.dropFirst(2).map { range in
            range.rm_so < 0 ? nil : String(decoding: bytes[Int(range.rm_so)..<Int(range.rm_eo)], as: UTF8.self)
        }
    }
}
