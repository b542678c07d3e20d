import Testing

@testable import FerryTUI

@Suite struct WidthProbeTests {
    @Test(arguments: [
        ("ja_JP.UTF-8", true), ("ko_KR.utf8", true), ("zh_TW.UTF-8@radical", true), ("zh.UTF-8", true),
        ("en_US.UTF-8", false), ("C.UTF-8", false), ("C", false), ("", false), ("jav_ID.UTF-8", false),
    ])
    func `only languages in which signs may be wide are asked about`(locale: String, isNeeded: Bool) {
        #expect(WidthProbe.isNeeded(locale: locale) == isNeeded)
    }

    @Test func `the sign is wide if the cursor stands after two cells of its line`() {
        let probe = WidthProbe(now: 10)
        #expect(probe.isWide(Point(row: 1, column: 2)))
        #expect(!probe.isWide(Point(row: 1, column: 1)))
        #expect(!probe.isWide(Point(row: 5, column: 2)))
        #expect(abs(probe.deadline - 10.2) < 0.001)
    }

    @Test func `a reply of the terminal that comes late changes nothing`() {
        var model = Model.make([.make(1)])
        let before = model.frame()
        #expect(model.update(.key(.cursorPosition(Point(row: 1, column: 2)))).isEmpty)
        #expect(model.frame() == before)
    }
}
