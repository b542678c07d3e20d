import FerryFiles

/// The systemd unit that keeps an engine running for one user: the output of `ferry config --systemd`.
enum SystemdUnit {
    /// - Parameter arguments: The options that follow both `ferry run` and `ferry reload`.
    static func text(program: String, arguments: [String]) -> String {
        func line(_ command: String) -> String {
            ([program, command] + arguments).map(quoted).joined(separator: " ")
        }
        return """
            # ferry config --systemd > ~/.config/systemd/user/ferry.service   (the Debian package has brought it)
            # systemctl --user enable --now ferry
            # loginctl enable-linger            # so that it runs without a login
            [Unit]
            Description=Ferry uploads what is in its queue

            [Service]
            ExecStart=\(line("run"))
            ExecReload=\(line("reload"))
            # Every change is in the journal.
            StandardOutput=null
            # A backtrace in the log would print memory, which may have a credential in it.
            Environment=SWIFT_BACKTRACE=enable=no
            # A second SIGTERM would cut what is being saved.
            KillMode=mixed
            TimeoutStopSec=60
            Restart=on-failure
            RestartSec=10
            # Wrong usage or configuration, and folders that cannot be used: trying again changes nothing.
            RestartPreventExitStatus=2 73 77
            # Stopped as it was asked to.
            SuccessExitStatus=143 130 1
            NoNewPrivileges=yes

            [Install]
            WantedBy=default.target

            """
    }

    /// Returns the word as a command line in a systemd unit needs it (systemd.service(5)).
    private static func quoted(_ word: String) -> String {
        let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            .replacing("%", with: "%%").replacing("$", with: "$$").replacing("\n", with: "\\n")
        let isPlain = escaped.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || ("0"..."9").contains($0)
                || "/._-+=:,@%$".unicodeScalars.contains($0)
        }
        return isPlain && !escaped.isEmpty ? escaped : "\"\(escaped)\""
    }
}
