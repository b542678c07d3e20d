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
        let typed = try ask("Name of the destination [\(suggestion)]: ") { text in
            DestinationDraft.expectation(brokenBy: text.isEmpty ? suggestion : text, besides: taken)
        }
        var draft = DestinationDraft(
            name: typed.isEmpty ? suggestion : typed, url: url, protocolName: protocolName)
        draft.signIn = try signIn ?? askSignIn(to: protocolName)
        return draft
    }

    /// Returns the keys `url` and `protocol` of a destination. Asks until a URL is valid, unless `given` is. Adds
    /// `https://` to an entry like `example.org/files`.
    func askAddress(_ given: String? = nil) throws -> (url: String, protocolName: String) {
        var given = given
        while true {
            var text = try given ?? ask("The address: ") { $0.isEmpty ? "an address" : nil }
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
        let meanings = ["": suggestion, "y": true, "yes": true, "n": false, "no": false]
        let text = try ask("\(question) [\(suggestion ? "Y/n" : "y/N")] ") {
            meanings[$0.lowercased()] == nil ? "y or n" : nil
        }
        return meanings[text.lowercased()] ?? suggestion
    }

    /// Asks for one of the choices. Returns its index, and `suggestion` for an empty answer.
    func choose(_ question: String, among choices: [String], suggestion: Int = 0) throws -> Int {
        for (index, choice) in choices.enumerated() { prompt.say("  \(index + 1)  \(choice)") }
        let text = try ask("\(question) [\(suggestion + 1)]: ") { text in
            let isChoice = text.isEmpty || Int(text).map((1...choices.count).contains) ?? false
            return isChoice ? nil : "a number from 1 to \(choices.count)"
        }
        return (Int(text) ?? suggestion + 1) - 1
    }

    private func askPlainSignIn() throws -> DestinationDraft.SignIn {
        prompt.say("How do you sign in there? (OAuth 2: see `ferry config --print-example`)")
        switch try choose(
            "A number", among: ["not at all", "with a user and a password", "with a token (Bearer)"])
        {
        case 1:
            let user = try ask("User: ") { $0.isEmpty || $0.contains(":") ? "a name without a colon" : nil }
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
            return .s3Profile(try ask("Profile: ") { $0.isEmpty ? "its name" : nil })
        case 2:
            let key = try ask("Access key: ") { $0.isEmpty ? "the key's public half" : nil }
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

    /// Asks until `expectation` returns nil for the answer, and not what was expected instead.
    private func ask(_ question: String, _ expectation: (String) -> String?) throws -> String {
        while let text = prompt.line(question) {
            guard let expected = expectation(text) else { return text }
            prompt.say("  expected \(expected)")
        }
        throw NoInput()
    }
}
