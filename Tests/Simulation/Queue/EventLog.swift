/// The events of a simulation: a digest, which differs if any event differs, and their text for people.
package struct EventLog {
    package private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    package private(set) var count = 0
    package private(set) var lines: [String]?

    package init(keepsLines: Bool) { lines = keepsLines ? [] : nil }

    package mutating func add(
        _ what: StaticString, _ first: Int = 0, _ second: Int = 0, _ text: () -> String = { "" }
    ) {
        count += 1
        what.withUTF8Buffer { for byte in $0 { mix(UInt64(byte)) } }
        mix(UInt64(bitPattern: Int64(first)))
        mix(UInt64(bitPattern: Int64(second)))
        lines?.append("\(count) \(what) \(first) \(second) \(text())")
    }

    private mutating func mix(_ value: UInt64) { digest = (digest ^ value) &* 0x100_0000_01B3 }
}
