import CSampleRate

/// Which of libsamplerate's band-limited sinc converters does the work.
public enum ResamplerQuality: String, Sendable, Hashable, CaseIterable {
    /// 145 dB signal to noise, pass band 96 % of the lower Nyquist frequency.
    case best
    /// 121 dB signal to noise, pass band 90 %.
    case medium
    /// 97 dB signal to noise, pass band 80 %.
    case fastest

    var converter: Int32 {
        switch self {
        case .best: Int32(SRC_SINC_BEST_QUALITY)
        case .medium: Int32(SRC_SINC_MEDIUM_QUALITY)
        case .fastest: Int32(SRC_SINC_FASTEST)
        }
    }
}
