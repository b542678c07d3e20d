public import FerryUploads
import Foundation

extension ZoneRules {
    /// Makes the rules of a Foundation time zone, which the program itself does not use.
    public init(_ zone: TimeZone) { self.init { zone.secondsFromGMT(for: $0) } }
}
