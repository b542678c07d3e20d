public import FerryUploads
import Foundation

extension ZoneRules {
    /// The rules of a zone by its name, which the program itself does not need.
    public init(_ zone: TimeZone) { self.init { zone.secondsFromGMT(for: $0) } }
}
