import FerryProtocols
import FerryTransfer
import FerryUploads

/// The dialog of `ferry init`, which asks the user for one destination.
struct Wizard {
    /// The error if the input ends before the last answer.
    struct NoInput: Error {}

    let prompt: any Prompt
    let taken: Set<String>
    let parseAddress: (String) throws(UploadFailure) -> Destination

    /// Asks for the name of a destination, and for the URL and the credentials if the command line has none.
    func destination(at address: String?, signIn: DestinationDraft.SignIn? = nil) throws -> DestinationDraft {
        let (url, protocolName) = try askAddress(address)
        let suggestion = DestinationDraft.name(for: url, besides: taken)
        let name = try ask("Name of the destination [\(suggestion)]: ") { text -> Judgement<String> in
            let name = text.isEmpty ? suggestion : text
            if let expected = DestinationDraft.expectation(brokenBy: name, besides: taken) {
                return .wrong("expected \(expected)")
            }
            return .right(name)
        }
        var draft = DestinationDraft(name: name, url: url, protocolName: protocolName)
        draft.signIn = try signIn ?? askSignIn(to: protocolName)
        return draft
    }

    /// Returns the keys `url` and `protocol` of a destination. Asks until a URL is valid, unless `given` is. Adds
    /// `https://` to an entry like `example.org/files`.
    func askAddress(_ given: String? = nil) throws -> (url: String, protocolName: String) {
        var given = given
        while true {
            var text =
                try given ?? ask("The address: ") { $0.isEmpty ? .wrong("expected an address") : .right($0) }
            given = nil
            if !text.contains("://"), text.contains(where: { $0 == "." || $0 == ":" || $0 == "/" }) {
                text = "https://" + text
                prompt.say("  taken as \(text)")
            }
            do throws(UploadFailure) {
                let destination = try parseAddress(text)
                return (S3Location.isLocation(text) ? text : destination.url, destination.protocolName)
            } catch {
                prompt.say("  \(error.summary)\(error.hint.map { "; \($0)" } ?? "")")
            }
        }
    }

    func askSignIn(to protocolName: String) throws -> DestinationDraft.SignIn {
        protocolName == S3Upload.name ? try askS3SignIn() : try askPlainSignIn()
    }

    /// Asks a yes-or-no question. Returns true for yes, and `suggestion` for an empty answer.
    func confirm(_ question: String, suggestion: Bool) throws -> Bool {
        try ask("\(question) [\(suggestion ? "Y/n" : "y/N")] ") { text in
            switch text.lowercased() {
            case "": .right(suggestion)
            case "y", "yes": .right(true)
            case "n", "no": .right(false)
            default: .wrong("expected y or n")
            }
        }
    }

    /// Asks for one of the choices. Returns its index, and `suggestion` for an empty answer.
    func choose(_ question: String, among choices: [String], suggestion: Int = 0) throws -> Int {
        for (index, choice) in choices.enumerated() { prompt.say("  \(index + 1)  \(choice)") }
        return try ask("\(question) [\(suggestion + 1)]: ") { text in
            guard let number = text.isEmpty ? suggestion + 1 : Int(text), (1...choices.count).contains(number)
            else {
                return .wrong("expected a number from 1 to \(choices.count)")
            }
            return .right(number - 1)
        }
    }

    private func askPlainSignIn() throws -> DestinationDraft.SignIn {
        prompt.say("How do you sign in there? (OAuth 2: see `ferry config --print-example`)")
        switch try choose(
            "A number", among: ["not at all", "with a user and a password", "with a token (Bearer)"])
        {
        case 1:
            let user = try ask("User: ") { text in
                text.isEmpty || text.contains(":") ? .wrong("expected a name without a colon") : .right(text)
            }
            return .basic(user: user, password: try askSecret("Password"))
        case 2: return .bearer(try askSecret("Token"))
        default: return .none
        }
    }

    private func askS3SignIn() throws -> DestinationDraft.SignIn {
        prompt.say("Where are your keys?")
        let choices = [
            "where AWS's tools look (environment, default profile)", "a profile of AWS's tools",
            "I type them",
        ]
        switch try choose("A number", among: choices) {
        case 1:
            return .s3Profile(try ask("Profile: ") { $0.isEmpty ? .wrong("expected its name") : .right($0) })
        case 2:
            let key = try ask("Access key: ") {
                $0.isEmpty ? .wrong("expected the key's public half") : .right($0)
            }
            return .s3Keys(accessKey: key, secretKey: try askSecret("Secret key"))
        default: return .s3Found
        }
    }

    private func askSecret(_ what: String) throws -> DestinationDraft.SecretInput {
        while true {
            let question = "\(what) (not shown; or $NAME, to take it from the environment): "
            guard let text = try prompt.secret(question) else { throw NoInput() }
            if !text.isEmpty { return .init(text) }
            prompt.say("  expected something")
        }
    }

    private enum Judgement<Value> {
        case right(Value)
        case wrong(String)
    }

    private func ask<Value>(_ question: String, _ judge: (String) -> Judgement<Value>) throws -> Value {
        while let text = prompt.line(question) {
            switch judge(text) {
            case .right(let value): return value
            case .wrong(let why): prompt.say("  \(why)")
            }
        }
        throw NoInput()
    }
}
