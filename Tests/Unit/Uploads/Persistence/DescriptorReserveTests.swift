import FerryTestSupport
import Foundation
import Testing

@testable import FerryUploads

/// Tests the descriptors that are reserved for the state folder.
struct DescriptorReserveTests {
    /// A process that has reached its descriptor limit: a call succeeds only while the reserve has released a
    /// descriptor.
    private final class FullTable {
        private let before: Int
        private let reserve: DescriptorReserve
        var code = EMFILE
        var calls = 0

        init(_ reserve: DescriptorReserve) {
            self.reserve = reserve
            before = reserve.count
        }

        func open() -> Int32 {
            calls += 1
            guard reserve.count < before else {
                errno = code
                return -1
            }
            return openNull()
        }
    }

    private let folder: Int32
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        folder = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(folder >= 0)
    }

    @Test(arguments: [EMFILE, ENFILE])
    func `S18 the reserve is given up for a file of the state folder and made up for afterwards`(code: CInt) {
        defer { close(folder) }
        let reserve = DescriptorReserve(of: folder)
        #expect(reserve.count == 3)
        let table = FullTable(reserve)
        table.code = code
        let file = reserve.open(table.open)
        #expect(file >= 0)
        #expect(table.calls == 2)
        #expect(reserve.count == 2)
        // The file's descriptor returns to the reserve at once, before another file can take it.
        reserve.take(over: file)
        #expect(reserve.count == 3)
        #expect(fcntl(file, F_GETFD) == FD_CLOEXEC)
    }

    @Test func `S18 other errors cost nothing of the reserve`() {
        defer { close(folder) }
        let reserve = DescriptorReserve(of: folder)
        let result = reserve.open {
            errno = EACCES
            return -1
        }
        #expect(result == -1)
        #expect(errno == EACCES)
        #expect(reserve.count == 3)
    }

    @Test func `S18 without descriptors in the reserve the error is returned`() {
        defer { close(folder) }
        let reserve = DescriptorReserve(of: folder)
        let result = reserve.open {
            errno = EMFILE
            return -1
        }
        #expect(result == -1)
        #expect(errno == EMFILE)
        #expect(reserve.count == 0)
        let file = reserve.open(openNull)
        #expect(file >= 0)
        #expect(reserve.count == 3)
        close(file)
    }
}

private func openNull() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }
