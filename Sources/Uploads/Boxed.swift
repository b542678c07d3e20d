/// A value that is mostly missing. Without a value it takes the memory of one reference: a queue has a million uploads,
/// and most of them need no value here.
enum Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    case none
    indirect case some(Value)

    init(_ value: Value?) {
        if let value { self = .some(value) } else { self = .none }
    }

    var value: Value? { if case .some(let value) = self { value } else { nil } }
}
