import Foundation

/// The choice between the short form of tests and the long one, which `FERRY_LONG=1` asks for.
public enum LongTests {
    public static let areWanted = ProcessInfo.processInfo.environment["FERRY_LONG"] == "1"
}
