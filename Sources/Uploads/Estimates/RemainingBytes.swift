/// The bytes that due uploads still have to send, in all and by the scope of each limit.
package struct RemainingBytes: Hashable, Sendable {
    private var scopes: [LimitScope: Int128] = [:]
    /// The bytes of all uploads.
    package private(set) var total: Int128 = 0

    package init() {}

    /// - Parameter sent: The progress of the running uploads.
    package init(_ uploads: some Sequence<Upload>, sent: SampledProgress = SampledProgress()) {
        for upload in uploads where upload.isDue { add(Int128(sent.left(of: upload)), of: upload) }
    }

    /// Adds bytes of an upload; a negative number takes them away.
    package mutating func add(_ bytes: Int128, of upload: Upload) {
        total += bytes
        guard bytes != 0 else { return }
        for scope in upload.limitScopes where scope != .total { scopes[scope, default: 0] += bytes }
    }

    /// The bytes of a scope, never negative.
    package subscript(scope: LimitScope) -> Double {
        Double(max(0, scope == .total ? total : scopes[scope] ?? 0))
    }
}
