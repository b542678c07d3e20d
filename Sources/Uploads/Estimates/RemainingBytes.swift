/// The number of bytes that the due uploads (`Upload.isDue`) have not sent yet, also by destination and batch.
package struct RemainingBytes: Hashable, Sendable {
    private var scopes: [LimitScope: Int128] = [:]
    package private(set) var total: Int128 = 0

    package init() {}

    /// Adds up the bytes that the due uploads have not sent yet, with the progress `sent` of the running ones.
    package init(_ uploads: QueueTable, sent: SampledProgress = SampledProgress()) {
        uploads.visit { upload in
            if upload.isDue { add(Int128(sent.left(of: upload)), of: upload) }
        }
    }

    /// Adds unsent bytes of an upload; a negative number subtracts them.
    package mutating func add(_ bytes: Int128, of upload: Upload) {
        total += bytes
        guard bytes != 0 else { return }
        for scope in upload.limitScopes where scope != .total { scopes[scope, default: 0] += bytes }
    }

    /// The number of bytes that the due uploads in a scope have not sent yet; never negative.
    package subscript(scope: LimitScope) -> Double {
        Double(max(0, scope == .total ? total : scopes[scope] ?? 0))
    }
}
