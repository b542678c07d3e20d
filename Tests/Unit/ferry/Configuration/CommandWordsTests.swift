import Testing

@testable import FerryCommand

struct CommandWordsTests {
    @Test func `only a number behind the folder of descriptors is a descriptor of the command`() {
        #expect(CommandWords.paths(in: ["sh", "/dev/fd/3", "/proc/self/fd/0", "/dev/stdin"]) == [])
        let path = "/dev/fd/../root/missing/x"
        #expect(CommandWords.paths(in: ["sh", path]) == [path])
    }

    @Test(arguments: ["--split-string", "--spl", "-S", "-iS"])
    func `the value of an option of env is taken apart`(option: String) {
        #expect(CommandWords.paths(in: ["env", option, "sh /missing/x"]).contains("/missing/x"))
    }
}
