import ArgumentParser

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@main
struct FaultLab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault-lab",
        abstract: "Kills, power cuts, failing calls and damage for the queue's files, on a real disk.",
        subcommands: [
            Write.self, Check.self, Kill.self, Syscalls.self, Errors.self, Bytes.self, Power.self, Trace.self,
            Mutants.self,
        ])

    static func main() {
        // A campaign and the programs that it starts write to each other's pipes, and either may have ended.
        signal(SIGPIPE, SIG_IGN)
        main(nil)
    }
}
