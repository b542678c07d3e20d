import FerryFiles

extension Clock {
    private static let start = SuspendingClock.now

    static func now() -> Clock { Clock(seconds: (SuspendingClock.now - start) / .seconds(1), date: Date()) }
}
