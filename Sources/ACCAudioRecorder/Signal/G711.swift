/// The expansion of A-law and µ-law samples, after ITU-T Recommendation G.711.
enum G711 {
    /// A 13-bit value, left-justified in 16 bits.
    static func linear(aLaw code: UInt8) -> Int16 {
        let bits = code ^ 0x55
        let segment = Int(bits >> 4 & 0x07)
        let step = Int(bits & 0x0F) << 4
        let magnitude = segment == 0 ? step + 8 : (step + 0x108) << (segment - 1)
        return Int16(bits & 0x80 != 0 ? magnitude : -magnitude)
    }

    /// A 14-bit value, left-justified in 16 bits.
    static func linear(uLaw code: UInt8) -> Int16 {
        let bits = ~code
        let segment = Int(bits >> 4 & 0x07)
        let magnitude = ((Int(bits & 0x0F) << 3) + 0x84) << segment - 0x84
        return Int16(bits & 0x80 != 0 ? -magnitude : magnitude)
    }
}
