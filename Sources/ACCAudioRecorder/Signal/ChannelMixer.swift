/// Changes the channel count with a matrix of gains.
struct ChannelMixer: ~Copyable {
    private let matrix: Matrix
    private let sourceCount: Int
    private let outputCount: Int
    private let mixed: UnsafeMutableBufferPointer<Float>

    /// - Parameter maximumFrames: The length of the longest block, in frames.
    init(from source: ChannelMap, to output: ChannelMap, maximumFrames: Int) {
        matrix = Matrix(from: source, to: output)
        sourceCount = source.count
        outputCount = output.count
        mixed = .allocate(capacity: maximumFrames * outputCount)
        mixed.initialize(repeating: 0)
    }

    deinit {
        mixed.deallocate()
    }

    /// The mixed block, valid until the next call.
    func mix(_ block: AudioBlock) -> AudioBlock {
        let frames = block.frameCount
        let samples = block.samples
        matrix.gains.withUnsafeBufferPointer { gains in
            for frame in 0..<frames {
                let first = frame * sourceCount
                for output in 0..<outputCount {
                    var sum: Float = 0
                    for source in 0..<sourceCount {
                        sum += samples[first + source] * gains[output * sourceCount + source]
                    }
                    mixed[frame * outputCount + output] = sum
                }
            }
        }
        return AudioBlock(
            samples: UnsafeBufferPointer(rebasing: mixed[..<(frames * outputCount)]), exactSamples: nil,
            isConverted: true, channelCount: outputCount)
    }
}

extension ChannelMixer {
    /// The gain of each source channel in each output channel.
    ///
    /// - Between loudspeaker layouts, a channel goes to its own position or, if the output has none, to the nearest
    ///   positions, with the coefficients of ITU-R BS.775-3, Annex 4: 1/√2 (-3 dB) for the centre in left and right, and
    ///   for a surround channel in the front channel of its side. The low-frequency channel is left out, as in the
    ///   recommendation. All gains are then lowered equally until no output can clip.
    /// - A single channel is copied to every output.
    /// - If positions are unknown (`aux3`), channels are mapped by their number. To more channels, they keep their order,
    ///   and the others are silent. To fewer, each output is the mean of the source channels that fold onto it in turn
    ///   (from 4 to 2, the first is the mean of 1 and 3, the second of 2 and 4).
    struct Matrix: Hashable {
        /// Rows are output channels, columns source channels.
        let gains: [Float]

        init(from source: ChannelMap, to output: ChannelMap) {
            if source.count == 1 {
                gains = Array(repeating: 1, count: output.count)
            } else if Self.isLayout(source), Self.isLayout(output) {
                gains = Self.gains(from: source.positions, to: output.positions)
            } else {
                gains = Self.gainsByNumber(from: source.count, to: output.count)
            }
        }

        /// Whether every channel has its own known position.
        private static func isLayout(_ map: ChannelMap) -> Bool {
            Set(map.positions).count == map.count && !map.positions.contains(where: \.isAuxiliary)
        }

        private static func gains(from source: [ChannelPosition], to output: [ChannelPosition]) -> [Float] {
            var gains = [Double](repeating: 0, count: source.count * output.count)
            for (column, position) in source.enumerated() {
                let (targets, gain) = target(of: position, in: output, besides: source)
                for target in targets {
                    guard let row = output.firstIndex(of: target) else { continue }
                    gains[row * source.count + column] = gain
                }
            }
            let sums = output.indices.map { gains[$0 * source.count..<($0 + 1) * source.count].reduce(0, +) }
            let highest = max(sums.max() ?? 1, 1)
            return gains.map { Float($0 / highest) }
        }

        /// The targets of a channel: its own position, or the first of its alternatives that the output has.
        private static func target(
            of position: ChannelPosition, in output: [ChannelPosition], besides source: [ChannelPosition]
        ) -> (positions: [ChannelPosition], gain: Double) {
            if output.contains(position) { return ([position], 1) }
            for (positions, gain) in alternatives(to: position, besides: source)
            where positions.allSatisfy(output.contains) {
                return (positions, gain)
            }
            return ([], 0)
        }

        private static func alternatives(
            to position: ChannelPosition, besides source: [ChannelPosition]
        ) -> [([ChannelPosition], Double)] {
            let half = 0.5.squareRoot()
            /// The gain is 1 in the other pair of surround channels, unless the source has that pair too.
            func surround(_ other: ChannelPosition, _ front: ChannelPosition) -> [([ChannelPosition], Double)] {
                [([other], source.contains(other) ? half : 1), ([front], half), ([.mono], 0.5)]
            }
            switch position {
            case .mono: return [([.frontCenter], 1), ([.frontLeft, .frontRight], half)]
            case .frontCenter: return [([.mono], 1), ([.frontLeft, .frontRight], half)]
            case .frontLeft, .frontRight: return [([.mono], half)]
            case .rearLeft: return surround(.sideLeft, .frontLeft)
            case .rearRight: return surround(.sideRight, .frontRight)
            case .sideLeft: return surround(.rearLeft, .frontLeft)
            case .sideRight: return surround(.rearRight, .frontRight)
            case .rearCenter:
                return [
                    ([.rearLeft, .rearRight], half), ([.sideLeft, .sideRight], half), ([.frontLeft, .frontRight], 0.5),
                    ([.mono], 0.5),
                ]
            case .lowFrequency: return []
            default: return overheadOrBetween(position, half)
            }
        }

        /// Targets of positions that common layouts do not have: overhead, and between the centre and the sides.
        private static func overheadOrBetween(
            _ position: ChannelPosition, _ half: Double
        ) -> [([ChannelPosition], Double)] {
            let name = position.rawValue
            if name.contains("left") { return [([.frontLeft], half), ([.mono], 0.5)] }
            if name.contains("right") { return [([.frontRight], half), ([.mono], 0.5)] }
            return [([.frontLeft, .frontRight], 0.5), ([.mono], 0.5)]
        }

        private static func gainsByNumber(from sourceCount: Int, to outputCount: Int) -> [Float] {
            var gains = [Float](repeating: 0, count: sourceCount * outputCount)
            for source in 0..<sourceCount {
                let output = source % outputCount
                let sharing = (sourceCount - output + outputCount - 1) / outputCount
                gains[output * sourceCount + source] = 1 / Float(sharing)
            }
            return gains
        }
    }
}
