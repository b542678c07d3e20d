/// A day of the Gregorian calendar, also before its introduction in 1582.
package struct CivilDay: Hashable, Comparable, Sendable {
    /// The number of days since 1 January 1970; negative before that day.
    package var number: Int

    package init(number: Int) { self.number = number }

    /// Makes the day that is `day` - 1 days after the first of `month`, possibly in another month.
    package init(year: Int, month: Int, countedDay day: Int) {
        // Years begin in March here, so that a leap day is the last day of its year. Eras have 400 years.
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        number = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// - Returns: nil if the month does not exist or does not have this day.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), (1...31).contains(day) else { return nil }
        self.init(year: year, month: month, countedDay: day)
        guard date == (year, month, day) else { return nil }
    }

    /// The year, the month from 1 and the day from 1.
    package var date: (year: Int, month: Int, day: Int) {
        let shifted = number + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }

    /// The day of the week, from 0 (Sunday) to 6 (Saturday).
    package var weekday: Int { ((number + 4) % 7 + 7) % 7 }

    /// The day that is `days` days later.
    package func advanced(by days: Int) -> CivilDay { CivilDay(number: number + days) }

    package static func < (left: CivilDay, right: CivilDay) -> Bool { left.number < right.number }
}
