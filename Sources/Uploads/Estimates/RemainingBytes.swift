/// The number of unsent bytes of the due uploads (`Upload.isDue`): in total, and for each scope of a bandwidth limit.
package struct RemainingBytes: Hashable, Sendable {
    private var scopes: [LimitScope: Int128] = [:]
    package private(set) var total: Int128 = 0

    package init() {}

    /// Adds up the unsent bytes of the due uploads (`Upload.isDue`). `sent` is the progress of the running uploads.
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
