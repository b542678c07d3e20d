import FerryFiles

/// The properties of a network interface from its folder in sysfs(5), most of which netlink does not report.
struct DeviceFolder: Hashable, Sendable {
    var index: Int32
    /// The value of `DEVTYPE` in the file `uevent`, such as `wlan` or `wwan`; nil for plain Ethernet.
    var type: String?
    var isWireless: Bool
    /// True if the interface belongs to a device, real or emulated, and is not only software, such as a bridge.
    var hasHardware: Bool

    /// The folder with an entry for each interface of the network namespace in which sysfs was mounted.
    static let root = "/sys/class/net"

    /// Returns nil if the folder is missing or unreadable, or if it belongs to another interface of the same name.
    static func read(_ link: NetworkLink, in root: String = root) -> DeviceFolder? {
        let name = link.device.name
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/") else { return nil }
        let folder = "\(root)/\(name)"
        func text(_ file: String) -> String? {
            FileManager.default.contents(atPath: "\(folder)/\(file)").map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        func has(_ entry: String) -> Bool { FileManager.default.fileExists(atPath: "\(folder)/\(entry)") }
        // Another namespace can have another interface of the same name.
        guard let index = text("ifindex").flatMap({ Int32($0.trimmedOfLines()) }), index == link.index else {
            return nil
        }
        let type = text("uevent")?.split(whereSeparator: \.isNewline)
            .first { $0.hasPrefix("DEVTYPE=") }?.dropFirst("DEVTYPE=".count)
        return DeviceFolder(
            index: index, type: type.map(String.init), isWireless: has("phy80211") || has("wireless"),
            hasHardware: has("device"))
    }
}
