import FerryTestSupport
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tests that other users cannot write the configuration or the files that it names. Programs in it run as the user.
@Suite(.fewAtOnce, .timeLimit(.minutes(10)))
struct ConfigurationTrustTests {
    private let place: Workplace

    init() throws {
        place = try Workplace()
        try place.configure("put", at: "http://127.0.0.1:9/")
    }

    private func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private func expectRefusal(of path: String, _ command: String) async throws {
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains(path))
        #expect(result.errors.contains("`\(command)`"), "\(result.errors)")
    }

    @Test(arguments: [0o664, 0o666, 0o602])
    func `a configuration that others can change is refused with the command that corrects its mode`(
        mode: Int
    ) async throws {
        try setMode(mode, place.configurationFile)
        try await expectRefusal(of: place.configurationFile, "chmod go-w \(place.configurationFile)")
        try setMode(mode & 0o755, place.configurationFile)
        #expect(try await place.ferry("config").ending == .exited(0))
    }

    @Test(arguments: [0o775, 0o777])
    func `a folder above the configuration that others can change is refused`(mode: Int) async throws {
        let folder = place.directory.path("config")
        try setMode(mode, folder)
        try await expectRefusal(of: folder, "chmod go-w \(folder)")
        // A sticky folder such as /tmp is safe: no user can replace the files of another.
        try setMode(0o1777, folder)
        #expect(try await place.ferry("config").ending == .exited(0))
    }

    @Test(arguments: [
        #"{ "s3": { "command": ["FILE"] } }"#,
        #"{ "s3": { "accessKey": { "file": "FILE" }, "secretKey": { "env": "KEY" } } }"#,
        #"{ "oauth2": { "tokenURL": "https://h.test/", "clientID": "me", "refreshToken": { "env": "HOME" }, "tls": { "caFile": "FILE" } } }"#,
        #"{ "oauth2": { "tokenURL": "https://h.test/", "clientID": "me", "refreshToken": { "env": "HOME" }, "tokenFile": "FILE" } }"#,
    ])
    func `a file that decides how to sign in, and that others can change, is refused`(auth: String)
        async throws
    {
        let file = place.directory.path("sign-in")
        try place.directory.write(Array("#!/bin/sh\n".utf8), to: "sign-in")
        try setMode(0o766, file)
        let protocolName = auth.contains("s3") ? "s3" : "put"
        try place.configure(
            protocolName, at: "https://h.test/b/",
            more: #", "auth": \#(auth.replacing("FILE", with: file))"#)
        try await expectRefusal(of: file, "chmod go-w \(file)")
    }

    @Test func `a link to a configuration that others can change is refused`() async throws {
        let file = place.directory.path("dotfiles/config.json")
        try place.directory.write(Array(#"{ "destinations": {} }"#.utf8), to: "dotfiles/config.json")
        try FileManager.default.removeItem(atPath: place.configurationFile)
        try FileManager.default.createSymbolicLink(
            atPath: place.configurationFile, withDestinationPath: file)
        #expect(try await place.ferry("config").ending == .exited(0))
        try setMode(0o666, file)
        try await expectRefusal(of: file, "chmod go-w \(file)")
    }

    @Test(.enabled(if: geteuid() == 0, "gives a file to another user"))
    func `a configuration of another user is refused`() async throws {
        #expect(chown(place.configurationFile, 65_534, 65_534) == 0)
        try await expectRefusal(of: place.configurationFile, "chown root \(place.configurationFile)")
    }

    @Test(.enabled(if: Privilege.isRoot && Privilege.has("setpriv"), "runs Ferry as another user"))
    func `a configuration of mode 664 is accepted with the user's own group`() async throws {
        let user: uid_t = 61_234
        func run() async throws -> CommandResult {
            let words = ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"]
            return try await Workplace.result(of: try place.start(through: words, ["config"]))
        }
        let program = try place.file("hook.sh", "#!/bin/sh\n")
        try place.configure(#"{ "destinations": {}, "hooks": { "done": ["\#(program)"] } }"#)
        let files = try FileManager.default.subpathsOfDirectory(atPath: place.directory.path)
        for path in [place.directory.path] + files.map({ place.directory.path($0) }) {
            #expect(chown(path, user, user) == 0)
            try setMode(path == place.configurationFile ? 0o664 : 0o775, path)
        }
        #expect(try await run().ending == .exited(0))
        #expect(chown(program, user, 61_235) == 0)
        let result = try await run()
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("`chmod go-w \(program)`"), "\(result.errors)")
    }

    @Test func `a hook's program that others can change is refused`() async throws {
        let program = try place.file("hook.sh", "#!/bin/sh\n")
        try setMode(0o700, program)
        try place.configure(#"{ "destinations": {}, "hooks": { "done": ["\#(program)"] } }"#)
        #expect(try await place.ferry("config").ending == .exited(0))
        try setMode(0o722, program)
        try await expectRefusal(of: program, "chmod go-w \(program)")
    }

    @Test func `a secret's program that others can change is refused`() async throws {
        let program = try place.file("secret.sh", "#!/bin/sh\necho word\n")
        try place.configure(
            "put", at: "http://127.0.0.1:9/", more: #", "auth": { "bearer": { "command": ["\#(program)"] } }"#
        )
        try setMode(0o777, program)
        try await expectRefusal(of: program, "chmod go-w \(program)")
    }

    @Test(arguments: [
        #"{ "hooks": { "done": ["FILE"] } }"#,
        #"{ "destinations": { "a": { "url": "https://h.test/", "auth": { "bearer": { "command": ["FILE"] } } } } }"#,
        #"{ "destinations": { "a": { "url": "https://h.test/", "tls": { "caFile": "FILE" } } } }"#,
        #"{ "destinations": { "a": { "url": "https://h.test/", "tls": { "certificate": "FILE", "key": "FILE" } } } }"#,
    ])
    func `a missing file that other users can create is refused`(text: String) async throws {
        let folder = try place.folder("open")
        let file = folder + "/file"
        try place.configure(text.replacing("FILE", with: file))
        #expect(try await place.ferry("config").ending == .exited(0))
        try setMode(0o1777, folder)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("\(file) does not exist, and others can create it in \(folder)"))
    }

    @Test func `without a configuration Ferry runs, even if other users can create one`() async throws {
        var place = place
        let folder = try place.folder("open")
        try setMode(0o1777, folder)
        place.environment["XDG_CONFIG_HOME"] = folder + "/config"
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0), "\(result.errors)")
        #expect(result.output.contains("\(folder)/config/ferry/config.json (none"), "\(result.output)")
    }

    @Test func `a link that lies in a folder which others can change is refused`() async throws {
        // The writable folder is neither above the given path nor above the file to which the links lead.
        try place.directory.write(Array(#"{ "destinations": {} }"#.utf8), to: "dotfiles/config.json")
        try FileManager.default.createDirectory(
            atPath: place.directory.path("open"), withIntermediateDirectories: false)
        let middle = place.directory.path("open/link")
        try FileManager.default.createSymbolicLink(
            atPath: middle, withDestinationPath: "../dotfiles/config.json")
        try FileManager.default.removeItem(atPath: place.configurationFile)
        try FileManager.default.createSymbolicLink(
            atPath: place.configurationFile, withDestinationPath: middle)
        #expect(try await place.ferry("config").ending == .exited(0))
        let open = place.directory.path("open")
        try setMode(0o777, open)
        try await expectRefusal(of: open, "chmod go-w \(open)")
    }

    @Test func `a circle of links ends with an error`() async throws {
        try FileManager.default.removeItem(atPath: place.configurationFile)
        try FileManager.default.createSymbolicLink(
            atPath: place.configurationFile, withDestinationPath: place.configurationFile)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("too many symbolic links"), "\(result.errors)")
    }

    @Test(arguments: ["sh", "python3.11", "php", "/usr/bin/Rscript"])
    func `a script that others can change is refused as an interpreter's argument, too`(
        interpreter: String
    ) async throws {
        let script = try place.file("secret.sh", "echo word\n")
        try place.configure(
            "put", at: "http://127.0.0.1:9/",
            more: #", "auth": { "bearer": { "command": ["\#(interpreter)", "-e", "\#(script)"] } }"#)
        #expect(try await place.ferry("config").ending == .exited(0))
        try setMode(0o777, script)
        try await expectRefusal(of: script, "chmod go-w \(script)")
    }

    @Test(arguments: [
        #"["flock", "/lock", "FILE"]"#, #"["time", "FILE"]"#, #"["cat", "FILE"]"#, #"["java", "@FILE"]"#,
        #"["env", "-S", "bash FILE"]"#, #"["env", "-Sbash 'FILE'"]"#, #"["env", "--split-string=bash FILE"]"#,
        #"["make", "-fFILE"]"#, #"["bash", "--rcfile=FILE", "-i"]"#, #"["LD_PRELOAD=FILE", "pass"]"#,
    ])
    func `a file that others can change is refused as an argument of any program`(words: String)
        async throws
    {
        let script = try place.file("secret.sh", "echo word\n")
        let command = words.replacing("FILE", with: script)
        try place.configure(
            "put", at: "http://127.0.0.1:9/", more: #", "auth": { "bearer": { "command": \#(command) } }"#)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0), "\(result.errors)")
        try setMode(0o777, script)
        try await expectRefusal(of: script, "chmod go-w \(script)")
    }

    private func configureHook(_ words: String) throws {
        try place.configure(#"{ "destinations": {}, "hooks": { "done": \#(words) } }"#)
    }

    @Test(arguments: [
        #"["bash", "FILE"]"#, #"["bash", "--rcfile=FILE", "-i"]"#, #"["make", "-fFILE"]"#,
        #"["java", "@FILE"]"#, #"["java", "-cp", "/x.jar:FILE", "Main"]"#,
        #"["LD_PRELOAD=x.so:FILE", "pass"]"#,
    ])
    func `a missing argument that other users can create is refused`(words: String) async throws {
        let folder = try place.folder("open")
        let file = folder + "/file"
        try configureHook(words.replacing("FILE", with: file))
        #expect(try await place.ferry("config").ending == .exited(0))
        try setMode(0o1777, folder)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("\(file) does not exist, and others can create it in \(folder)"))
    }

    @Test func `a pipe among the arguments is refused if others can write to it`() async throws {
        let pipe = place.directory.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        try configureHook(#"["bash", "\#(pipe)"]"#)
        #expect(try await place.ferry("config").ending == .exited(0))
        try setMode(0o622, pipe)
        try await expectRefusal(of: pipe, "chmod go-w \(pipe)")
        guard Privilege.isRoot else { return }
        try setMode(0o600, pipe)
        #expect(chown(pipe, 65_534, 65_534) == 0)
        try await expectRefusal(of: pipe, "chown root \(pipe)")
    }

    @Test(arguments: [
        #"["python3", "DIR"]"#, #"["make", "-C", "DIR"]"#, #"["run-parts", "DIR"]"#,
        #"["env", "PATH=DIR:/usr/bin", "zz"]"#, #"["env", "PYTHONPATH=DIR", "python3"]"#,
        #"["python3", "../open"]"#,
    ])
    func `a folder among the arguments is refused if others can change it`(words: String) async throws {
        let folder = try place.folder("open")
        try configureHook(words.replacing("DIR", with: folder))
        #expect(try await place.ferry("config").ending == .exited(0))
        try setMode(0o777, folder)
        try await expectRefusal(of: folder, "chmod go-w \(folder)")
    }

    @Test(.enabled(if: Privilege.isRoot, "needs a sticky folder of root"))
    func `a sticky folder of root may be an argument, but not where programs are searched`() async throws {
        let folder = try place.folder("open")
        try setMode(0o1777, folder)
        try configureHook(#"["sort", "--temporary-directory=\#(folder)", "-T", "\#(folder)"]"#)
        #expect(try await place.ferry("config").ending == .exited(0))
        try configureHook(#"["env", "PATH=/usr/bin:\#(folder)", "zz"]"#)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("others can create it in \(folder)"), "\(result.errors)")
    }

    @Test(arguments: [
        #"["cat", "/dev/null", "/dev/stdin"]"#, #"["curl", "https://h.test/tmp/x", "-o", "-"]"#,
        #"["sed", "s/tmp/x/", "-"]"#, #"["rsync", "-a", "x", "host:/tmp/missing-folder/"]"#,
        #"["sh", "-c", "cat > /tmp/missing-file"]"#, #"["mkdir", "-p", "/tmp/missing-folder"]"#,
        #"["a", "-", "--", "-x", "", "x=", "@", ":", "x:y,z"]"#,
    ])
    func `an argument that names no file of this machine, or a device, is accepted`(words: String)
        async throws
    {
        try configureHook(words)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0), "\(result.errors)")
    }

    @Test(arguments: [
        #"["tee", "-a", "FILE"]"#, #"["cp", "FILE", "copy"]"#, #"["logger", "-f", "FILE"]"#,
        #"["sh", "-c", "cat >> FILE"]"#,
    ])
    func `a file that a hook only writes or copies may be one that others can change`(words: String)
        async throws
    {
        let file = try place.file("common.log")
        try setMode(0o666, file)
        try place.configure(#"{ "hooks": { "done": \#(words.replacing("FILE", with: file)) } }"#)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0), "\(result.errors)")
    }

    @Test func `a client's key that others can read is refused with the command that closes it`() async throws
    {
        let key = try place.file("own.key", "")
        try place.configure(
            "put", at: "https://127.0.0.1:9/",
            more: #", "tls": { "certificate": "\#(key)", "key": "\#(key)" }"#)
        try setMode(0o600, key)
        #expect(try await place.ferry("config").ending == .exited(0))
        try setMode(0o644, key)
        try await expectRefusal(of: key, "chmod 600 \(key)")
    }

    @Test(arguments: ["config", "credentials"])
    func `a file of AWS's profiles that others can change is not used`(name: String) async throws {
        var place = place
        let home = place.directory.path("aws-home")
        let mark = place.directory.path("ran")
        let process = "[profile p]\ncredential_process = /usr/bin/touch \(mark)\n"
        let keys = "[p]\naws_access_key_id = a\naws_secret_access_key = b\n"
        let file = try place.directory.write(
            Array((name == "config" ? process : keys).utf8), to: "aws-home/.aws/\(name)")
        try setMode(0o666, file)
        place.environment["HOME"] = home
        try place.configure(
            "s3", at: "http://127.0.0.1:9/bucket/", more: #", "auth": { "s3": { "profile": "p" } }"#)
        let result = try await place.ferry("check", "here")
        let printed = result.output + result.errors
        #expect(printed.contains(file), "\(printed)")
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test func `a configuration of more than a mebibyte is refused`() async throws {
        let content = Array(#"{ "destinations": {} }"#.utf8)
        let padding = [UInt8](repeating: 0x20, count: (1 << 20) - content.count)
        try Data(content + padding).write(to: URL(fileURLWithPath: place.configurationFile))
        #expect(try await place.ferry("config").ending == .exited(0))
        try Data(content + padding + [0x20]).write(to: URL(fileURLWithPath: place.configurationFile))
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("is larger than 1 MiB"), "\(result.errors)")
    }

    @Test(arguments: ["caFile", "authorities"])
    func `certificates that others can change are refused, by the former name of the key too`(
        key: String
    ) async throws {
        let file = try place.file("ca.pem", "")
        try place.configure(
            "put", at: "https://127.0.0.1:9/", more: #", "tls": { "\#(key)": "\#(file)" }"#)
        try setMode(0o666, file)
        try await expectRefusal(of: file, "chmod go-w \(file)")
    }

    @Test(arguments: [
        (#"/", "headers": { "Authorization": "Bearer s3cret" }"#, "destinations.here.headers.Authorization"),
        (#"/", "headers": { "X-Api-Key": "s3cret" }"#, "destinations.here.headers.X-Api-Key"),
        (#"/", "headers": { "X-Vault": "hvs.s3cretIJ1xq3c8m0d7k2" }"#, "destinations.here.headers.X-Vault"),
        (#"/", "parameters": { "api_key": "s3cret" }"#, "destinations.here.parameters.api_key"),
        (#"/", "parameters": { "password": ["s3cret"] }"#, "destinations.here.parameters.password"),
        (#"/?sig=s3cret""#, "destinations.here.url"), (#"/?token=s3cret&a=b""#, "destinations.here.url"),
        (#"/?code=s3cretKJ3v9Qw2Zx8Lr5Tn1Bm7%3D""#, "destinations.here.url"),
        (
            #"/", "auth": { "oauth2": { "tokenURL": "https://h.test/?client_secret=s3cret", "clientID": "me", "refreshToken": { "env": "HOME" } } }"#,
            "destinations.here.auth.oauth2.tokenURL"
        ),
    ])
    func `a literal secret in a header, a parameter or an address that others can read is refused`(
        members: String, key: String
    ) async throws {
        try place.configure(
            #"{ "destinations": { "here": { "protocol": "put", "url": "http://127.0.0.1:9\#(members) } } }"#)
        #expect(try await place.ferry("config").ending == .exited(0))
        try setMode(0o644, place.configurationFile)
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(2))
        #expect(result.errors.contains("\(key): a secret is written here and others can read"))
        #expect(!result.errors.contains("s3cret"))
    }

    @Test(arguments: [
        #"/", "headers": { "X-Team": "films" }"#, #"/?name={name}&key={name}""#, #"/?sig=""#,
        #"/", "headers": { "x-amz-acl": "bucket-owner-full-control", "X-Note": "from 1 of 12 cameras" }"#,
        #"/", "parameters": { "album": "5f2b8c1d9e0a7b3c5f2b", "auth": true }"#,
        #"/?uploadType=resumable&api-version=2024-08-04-preview""#,
        #"/", "auth": { "oauth2": { "tokenURL": "https://h.test/?tenant=a", "clientID": "me", "refreshToken": { "env": "HOME" } } }"#,
    ])
    func `a configuration file without secrets may be readable by all`(members: String) async throws {
        try place.configure(
            #"{ "destinations": { "here": { "protocol": "put", "url": "http://127.0.0.1:9\#(members) } } }"#)
        try setMode(0o644, place.configurationFile)
        #expect(try await place.ferry("config").ending == .exited(0))
    }

    @Test func `a listed configuration shows no query and no control characters`() async throws {
        try place.configure(
            ##"{ "destinations": { "a\u001b[31m\u202Eb": { "protocol": "put", "url": "http://127.0.0.1:9/box/?sig=s3cret" } } }"##
        )
        let result = try await place.ferry("config")
        #expect(result.ending == .exited(0))
        #expect(result.output.contains("http://127.0.0.1:9/box/?sig=…"))
        #expect(!result.output.contains("s3cret"))
        #expect(!result.output.contains("\u{1B}") && !result.output.contains("\u{202E}"))
    }
}
