extension Date {
    /// The local date and time without seconds, such as `2026-11-20 14:05`, and today only `14:05`.
    package var shortMoment: String {
        let zone = ZoneRules.local
        func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let time = zone.timeOfDay(at: self)
        let clock = "\(digits(time / 3600)):\(digits(time / 60 % 60))"
        let day = zone.day(at: self)
        guard day != zone.day(at: Date()) else { return clock }
        return "\(day.date.year)-\(digits(day.date.month))-\(digits(day.date.day)) \(clock)"
    }
}
