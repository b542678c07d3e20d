import Testing

struct PrivilegeTests {
    @Test func `a program in the PATH is found`() {
        // On every system this program is in /bin or /usr/bin, never in /sbin.
        #expect(Privilege.has("ls"))
    }

    @Test func `a program that is nowhere is not found`() {
        #expect(!Privilege.has("no-such-program"))
    }
}
