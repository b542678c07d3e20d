/// The number of bytes that due uploads have not sent yet: in total, and for each scope of a bandwidth limit.
package struct RemainingBytes: Hashable, Sendable {
    private var scopes: [LimitScope: Int128] = [:]
    /// The number of unsent bytes of all due uploads.
    package private(set) var total: Int128 = 0

    package init() {}

    /// - Parameter sent: The progress of the running uploads.
    package init(_ uploads: some Sequence<Upload>, sent: SampledProgress = SampledProgress()) {
        for upload in uploads where upload.isDue { add(Int128(sent.left(of: upload)), of: upload) }
    }

    /// Adds unsent bytes of an upload; a negative number subtracts them.
    package mutating func add(_ bytes: Int128, of upload: Upload) {
        total += bytes
        guard bytes != 0 else { return }
        for scope in upload.limitScopes where scope != .total { scopes[scope, default: 0] += bytes }
    }

    /// The number of unsent bytes in a scope, never negative.
    package subscript(scope: LimitScope) -> Double {
        Double(max(0, scope == .total ? total : scopes[scope] ?? 0))
    }
}
