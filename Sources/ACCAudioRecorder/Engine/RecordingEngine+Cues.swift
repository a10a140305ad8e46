// Markers and new files, on the engine thread while a stretch is recorded.

extension RecordingEngine {
    /// Finds the places of what was asked for until the end of this block, which the main lane is about to take.
    ///
    /// - Parameters:
    ///   - first: The number of the block's first frame.
    ///   - hostTime: When that was captured.
    func placeCues(in block: AudioBlock, first: Int, hostTime: UInt64) {
        let rate = Double(sampleRate)
        let end = hostTime + UInt64(Double(block.frameCount) / rate * 1e9)
        for request in cueRequests.take(before: end) {
            let seconds = Double(Int64(bitPattern: request.hostTime &- hostTime)) * 1e-9
            let offset = Int((seconds * rate).rounded(.down))
            place(request, at: first + min(max(offset, 0), block.frameCount - 1), first: first, hostTime: hostTime)
        }
        let frames = first..<first + block.frameCount
        while let frame = cutSchedule?.nextCut(in: frames, hostTime: hostTime) {
            placeCut(at: frame, first: first, hostTime: hostTime)
        }
        if let size = configuration.splitting.fileSize, !lanes.contains(where: \.hasPendingCut),
            writers.contains(where: { $0.wouldExceed(size, with: Double(block.frameCount) / rate) })
        {
            placeCut(at: first, first: first, hostTime: hostTime)
        }
    }

    /// Places the markers that wait, after the last frame. Not during a stretch.
    func placeMarkers() {
        for request in cueRequests.take(before: .max, where: \.isMarker) {
            place(request, at: frameCount, first: frameCount, hostTime: request.hostTime)
        }
        for lane in lanes { lane.performMarkers() }
    }

    private func place(_ request: CueRequest, at frame: Int, first: Int, hostTime: UInt64) {
        let rate = Double(sampleRate)
        switch request.kind {
        case .marker(let label):
            markerCount += 1
            let marker = RecordingMarker(
                number: markerCount, frame: frame, time: Double(frame) / rate, label: label ?? "\(markerCount)")
            for lane in lanes { lane.add(Cue(kind: .marker(marker), seconds: marker.time)) }
            broadcast.events.send(.marker(marker))
        case .newFiles:
            placeCut(at: frame, first: first, hostTime: hostTime)
        }
    }

    /// Lets all outputs go on in new files at the same instant, which none of them may have passed.
    private func placeCut(at frame: Int, first: Int, hostTime: UInt64) {
        let rate = Double(sampleRate)
        let start = lanes.map { $0.firstCut(ofRate: sampleRate) }.reduce(frame, max)
        let startTime = hostTime + UInt64(Double(start - first) / rate * 1e9)
        for lane in lanes {
            lane.add(
                Cue(
                    kind: .newFile(hostTime: startTime, serverAlterations: serverAlterations),
                    seconds: Double(start) / rate))
        }
    }
}
