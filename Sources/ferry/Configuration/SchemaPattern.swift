import FerryTUI
import FerryUploads

/// The regular expressions (ECMAScript) for texts in the JSON Schema. They match every text that Ferry accepts, and a
/// few that it does not accept.
enum SchemaPattern {
    static let something = "."
    static let path = "^(/|~$|~/)"
    static let file = "^~?/(.*[^/])?$"
    static let token = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"
    static let name = "^[A-Za-z0-9_-]{1,64}$"
    static let oneLine = #"^[^\r\n\u0000]*$"#
    static let withoutNull = #"^[^\u0000]*$"#
    /// A pattern for file names, or another text that is not empty and has no NUL character.
    static let pattern = #"^[^\u0000]+$"#
    static let pin = "^sha256//.{44}$"
    static let timeOfDay = "^([01][0-9]|2[0-3]):[0-5][0-9]$"

    static let amount = #"^ *(?=[0-9.]*[1-9])[0-9]*\.?[0-9]* *[KMGTPEkmgtpe]? *([iI]?[bB])?(/[sS])? *$"#

    static let days: String = {
        let names = Timetable.Weekday.allCases.map { anyCase($0.name) }.joined(separator: "|")
        let part = " *(\(names)) *(- *(\(names)) *)?"
        return "^\(part)(,\(part))*$"
    }()

    /// The URL of a destination. It can contain `{name}`, but no user name and no password.
    static let address =
        "^(\(web)://(\\[[^\\]%]*\\][^/?#@]*|[^\\[\\]/?#@]+)([/?#].*)?|\(socket)://%2[fF][^/?#@:]+([/?#].*)?|[sS]3://[^/].*)$"

    static let tokenAddress =
        "^(\(anyCase("https"))://[^/?#@]+|\(anyCase("http"))://(127\\.|\\[|([^/?#@]*\\.)?\(anyCase("localhost")))[^/?#@]*)([/?][^#]*)?$"

    static let proxy = "^(none|environment|\(proxyScheme)://\(proxyAuthority))$"
    static let proxyAddress = "^(\(proxyScheme)://)?\(proxyAuthority)$"

    /// A key of the keyboard, in the form that `ferry config --keys` prints.
    static let key: String = {
        let names = ActionTable.keyNames.map(anyCase).joined(separator: "|")
        return "^([^ ]|\(names)|\(anyCase("ctrl"))-[A-Za-z]|\(anyCase("alt"))-[!-~]|[fF]([1-9]|1[0-2]))$"
    }()

    private static let web = "\(anyCase("http"))[sS]?"
    private static let socket = "\(anyCase("http"))\\+\(anyCase("unix"))"
    private static let proxyScheme = "(\(anyCase("http"))|\(anyCase("socks"))5[hH]?)"
    private static let proxyAuthority = "([^:@/?#]*@)?[^@/?#]+/?"

    /// Returns a pattern that ignores case, such as `[mM][oO][nN]`, because JSON Schema has no option for this.
    private static func anyCase(_ word: String) -> String {
        word.map { $0.isLetter ? "[\($0.lowercased())\($0.uppercased())]" : String($0) }.joined()
    }
}
