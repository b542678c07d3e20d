/// An optional value on the heap. A missing one takes only the memory of one reference, in each of a million uploads.
enum Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    case none
    indirect case some(Value)

    init(_ value: Value?) {
        if let value { self = .some(value) } else { self = .none }
    }

    var value: Value? { if case .some(let value) = self { value } else { nil } }
}
