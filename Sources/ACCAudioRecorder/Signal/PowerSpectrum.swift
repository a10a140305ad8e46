import CKissFFT
import Glibc

/// Computes power spectra with a Hann window; owns what kissfft needs.
struct PowerSpectrum: ~Copyable {
    /// Samples in a spectrum: an even number.
    let length: Int
    private let state: OpaquePointer
    private let window: UnsafeMutableBufferPointer<Float>
    private let input: UnsafeMutableBufferPointer<Float>
    private let output: UnsafeMutableBufferPointer<kiss_fft_cpx>
    /// The squared amplitude at each of `length / 2 + 1` frequencies, from 0 to half the sample rate: a sine of full scale has 1
    /// at its own.
    let powers: UnsafeMutableBufferPointer<Float>

    init(length: Int) {
        // It fails without memory alone, where the allocations of Swift below end the program as well.
        guard let state = kiss_fftr_alloc(Int32(length), 0, nil, nil) else { fatalError("out of memory") }
        (self.length, self.state) = (length, state)
        window = .allocate(capacity: length)
        for index in 0..<length {
            let hann = 0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(length))
            // A sine's amplitude is half the length times the mean of the window.
            window.initializeElement(at: index, to: Float(hann * 4 / Double(length)))
        }
        input = .allocate(capacity: length)
        input.initialize(repeating: 0)
        output = .allocate(capacity: length / 2 + 1)
        output.initialize(repeating: kiss_fft_cpx())
        powers = .allocate(capacity: length / 2 + 1)
        powers.initialize(repeating: 0)
    }

    deinit {
        free(UnsafeMutableRawPointer(state))
        window.deallocate()
        input.deallocate()
        output.deallocate()
        powers.deallocate()
    }

    /// Computes the spectrum of samples, of which there are `length`.
    func analyse(_ samples: UnsafePointer<Float>) {
        for index in 0..<length { input[index] = samples[index] * window[index] }
        kiss_fftr(state, input.baseAddress, output.baseAddress)
        for index in powers.indices {
            let value = output[index]
            powers[index] = value.r * value.r + value.i * value.i
        }
    }
}
