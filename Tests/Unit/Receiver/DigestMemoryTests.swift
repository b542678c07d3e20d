import FerryProtocols
import Testing

@testable import FerryReceiver

struct DigestMemoryTests {
    @Test func `10,000 digests of files are remembered, and one more empties the memory first`() async {
        let memory = DigestMemory()
        for number in 0..<10_000 {
            await memory.add("sha-256=:\(number):", for: .init(entityTag: "\(number)", algorithm: .sha256))
        }
        #expect(await memory.fields.count == 10_000)
        await memory.add("sha-256=:next:", for: .init(entityTag: "next", algorithm: .sha256))
        #expect(await Array(memory.fields.values) == ["sha-256=:next:"])
    }
}
