import Testing

struct PrivilegeTests {
    @Test func `a program in the PATH is found`() {
        // In /bin or /usr/bin everywhere, never in /sbin.
        #expect(Privilege.has("ls"))
    }

    @Test func `a program that is nowhere is not found`() {
        #expect(!Privilege.has("no-such-program"))
    }
}
