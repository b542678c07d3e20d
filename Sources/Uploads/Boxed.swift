/// A value that is mostly missing, and then takes no more room than a reference: a queue holds a million uploads, and
/// of most of them there is nothing to say yet.
enum Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    case none
    indirect case some(Value)

    init(_ value: Value?) {
        if let value { self = .some(value) } else { self = .none }
    }

    var value: Value? { if case .some(let value) = self { value } else { nil } }
}
