import Testing

@testable import FerryProtocols

/// Compares checksums that use processor instructions with those that use tables.
struct ChecksumInstructionTests {
    private static let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 11) }

    @Test(arguments: [0, 1, 7, 8, 63, 64, 255, 256, 257, 319, 320, 1000, 4096, 4999])
    func `instructions give what tables give, from any offset and in any chunks`(count: Int) {
        for start in [0, 1] {
            Self.bytes[start..<(start + count)].withUnsafeBytes { bytes in
                var (crc32, crc64) = (CRC32C(), CRC64NVME())
                crc32.updateByTables(bytes)
                crc64.updateByTables(bytes)
                var (whole32, whole64) = (CRC32C(), CRC64NVME())
                whole32.update(bytes)
                whole64.update(bytes)
                #expect(whole32.value == crc32.value)
                #expect(whole64.value == crc64.value)
                var (pieces32, pieces64) = (CRC32C(), CRC64NVME())
                for half in [bytes[..<(count / 3)], bytes[(count / 3)...]] {
                    pieces32.update(UnsafeRawBufferPointer(rebasing: half))
                    pieces64.update(UnsafeRawBufferPointer(rebasing: half))
                }
                #expect(pieces32.value == crc32.value)
                #expect(pieces64.value == crc64.value)
            }
        }
    }
}
