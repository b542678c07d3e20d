import FerryTestSupport
import Testing

@testable import FerryConnectivity

/// Tests folders like those that the kernel shows below /sys/class/net.
@Suite struct DeviceFolderTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func read(_ name: String = "eth0", files: [String: String]) throws -> DeviceFolder? {
        for (file, text) in files { try directory.write(Array(text.utf8), to: "\(name)/\(file)") }
        return DeviceFolder.read(.make(name: name), in: directory.path)
    }

    @Test func `an Ethernet card names no type`() throws {
        let folder = try read(files: [
            "ifindex": "2\n", "uevent": "INTERFACE=eth0\nIFINDEX=2\n", "device/vendor": "0x8086\n",
        ])
        #expect(folder == DeviceFolder(index: 2, type: nil, isWireless: false, hasHardware: true))
    }

    @Test(arguments: ["phy80211/index", "wireless/beacon"])
    func `a Wi-Fi card has a folder for its radio`(file: String) throws {
        let folder = try read(files: ["ifindex": "2\n", "uevent": "DEVTYPE=wlan\nIFINDEX=2\n", file: "0\n"])
        #expect(folder == DeviceFolder(index: 2, type: "wlan", isWireless: true, hasHardware: false))
    }

    @Test func `a modem names its type`() throws {
        let folder = try read("wwan0", files: ["ifindex": "2\n", "uevent": "INTERFACE=wwan0\nDEVTYPE=wwan"])
        #expect(folder?.type == "wwan")
    }

    @Test func `the folder of another interface of that name is not believed`() throws {
        #expect(try read(files: ["ifindex": "7\n", "uevent": "DEVTYPE=wlan\n"]) == nil)
    }

    @Test(arguments: ["", "two\n", "99999999999999999999\n", "\u{0}"])
    func `a number that is none is not believed`(index: String) throws {
        #expect(try read(files: ["ifindex": index]) == nil)
    }

    @Test func `an interface without a folder is unknown`() {
        #expect(DeviceFolder.read(.make(name: "eth9"), in: directory.path) == nil)
        #expect(DeviceFolder.read(.make(), in: directory.path("missing")) == nil)
    }

    @Test(arguments: ["", ".", "..", "../eth0", "/etc"])
    func `a name that leads elsewhere is not followed`(name: String) throws {
        try directory.write(Array("2".utf8), to: "ifindex")
        try directory.write(Array("2".utf8), to: "eth0/ifindex")
        #expect(DeviceFolder.read(.make(name: name), in: directory.path("eth0")) == nil)
    }

    #if os(Linux)
        @Test func `this machine shows its loopback interface`() throws {
            let table = try #require(NetworkTable.ofThisMachine())
            let loopback = try #require(table.links.values.first { $0.isLoopback })
            let folder = DeviceFolder.read(loopback)
            // Some sandboxes have no sysfs.
            #expect(folder == nil || folder?.index == loopback.index && folder?.hasHardware == false)
        }
    #endif
}
