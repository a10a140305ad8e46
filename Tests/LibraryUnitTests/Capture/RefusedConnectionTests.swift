import CPulse
import Testing

@testable import ACCAudioRecorder

@Suite struct RefusedConnectionTests {
    /// How many attempts are made of a connection whose attempts fail for these reasons, and whether it succeeds then.
    private func attempts(_ codes: [pa_error_code_t]) async -> (count: Int, succeeds: Bool) {
        var count = 0
        let isConnected: Bool? = try? await PulseConnection.whileRefused(waiting: [.zero, .zero]) {
            () throws(CaptureFailure) in
            count += 1
            guard count > codes.count else { throw CaptureFailure(codes[count - 1]) }
            return true
        }
        return (count, isConnected == true)
    }

    @Test("A server that ends a connection at once is not missing: it may have too many clients")
    func tooManyClients() {
        for server in [nil, "unix:/tmp/server"] {
            let failure = CaptureFailure(PA_ERR_CONNECTIONTERMINATED).reaching(server)
            #expect(failure.remedy.contains("64 by default"))
            #expect(!CaptureFailure(PA_ERR_CONNECTIONREFUSED).reaching(server).remedy.contains("64"))
        }
    }

    @Test("A server that refuses, as one does that is busy, is asked twice again; one that fails otherwise is not")
    func attempts() async {
        #expect(await attempts([]) == (1, true))
        #expect(await attempts([PA_ERR_CONNECTIONREFUSED, PA_ERR_CONNECTIONREFUSED]) == (3, true))
        #expect(await attempts(Array(repeating: PA_ERR_CONNECTIONREFUSED, count: 3)) == (3, false))
        #expect(await attempts([PA_ERR_ACCESS]) == (1, false))
        #expect(await attempts([PA_ERR_CONNECTIONREFUSED, PA_ERR_TIMEOUT]) == (2, false))
    }
}
