/// One line that tells what just happened, and goes again.
struct Toast: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case information, warning, failure }

    var kind: Kind
    var text: String
    /// On the model's clock, in seconds.
    var expires: Double

    init(_ kind: Kind, _ text: String, now: Double) {
        self.kind = kind
        self.text = text
        expires = now + (kind == .information ? 5 : 12)
    }
}
