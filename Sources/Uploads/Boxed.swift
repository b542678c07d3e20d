/// An optional value that is stored on the heap. Without a value, a property takes only the memory of one reference. A
/// queue can have a million uploads, and most of them have no value in such a property.
enum Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    case none
    indirect case some(Value)

    init(_ value: Value?) {
        if let value { self = .some(value) } else { self = .none }
    }

    var value: Value? { if case .some(let value) = self { value } else { nil } }
}
