/// An optional value that is stored on the heap. So a property that is `none` takes only the memory of one reference.
/// This matters because a queue can have a million uploads, and most of their optional values are missing.
enum Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
    case none
    indirect case some(Value)

    init(_ value: Value?) {
        if let value { self = .some(value) } else { self = .none }
    }

    var value: Value? { if case .some(let value) = self { value } else { nil } }
}
