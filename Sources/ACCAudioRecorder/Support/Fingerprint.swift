extension String {
    /// Sixteen hexadecimal digits that other words hardly share (FNV-1a, 64 bits), for the name of a file that belongs to them.
    package init(fingerprintOf words: [String]) {
        let bytes = words.joined(separator: "\0").utf8
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        self.init(hash, radix: 16)
    }
}
