extension Sequence where Element: Sendable {
    /// Runs a body for all elements at once, or for so many at a time, and waits for all.
    public func concurrentForEach(
        atMost limit: Int = .max, _ body: @escaping @Sendable (Element) async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, element) in enumerated() {
                if index >= limit { try await group.next() }
                group.addTask { try await body(element) }
            }
            try await group.waitForAll()
        }
    }
}
