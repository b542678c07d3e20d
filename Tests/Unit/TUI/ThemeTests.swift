import Testing

@testable import FerryTUI

@Suite struct ThemeTests {
    @Test func `every colour of xterm's cube and ramp is nearest to itself`() {
        // Four greys of the ramp are also in the colour cube, so their numbers differ.
        for number in 16...255 {
            let colour = RGB(palette: number)
            #expect(RGB(palette: colour.nearestInPalette) == colour)
        }
    }

    @Test(arguments: [("#5fafff", 75), ("#5eaefe", 75), ("#000000", 16), ("#ffffff", 231), ("#808080", 244)])
    func `an exact colour has a nearest one`(text: String, number: Int) {
        #expect(RGB(text)?.nearestInPalette == number)
    }

    @Test func `a theme that leaves all colours to the terminal has none`() {
        #expect(!Theme.mono.hasColours)
        for (name, theme) in Theme.builtIn where name != "mono" { #expect(theme.hasColours, "\(name)") }
        var own = Theme.mono
        own[.failed].colour.set(full: 203)
        #expect(Palette(tier: .full, theme: own).style(.failed, onCursorLine: false).foreground == 203)
    }

    @Test func `without a shade of its own a role is set apart in another way`() {
        var own = Theme.mono
        own[.failed].colour.set(full: 203)
        let style = Palette(tier: .full, theme: own).style(.dim, onCursorLine: false)
        #expect(style.attributes == .dim)
        #expect(Palette(tier: .full).style(.dim, onCursorLine: false).attributes == [])
        #expect(Palette(tier: .basic).style(.dim, onCursorLine: false).attributes == .dim)
        #expect(Palette(tier: .basic, theme: .highContrast).style(.dim, onCursorLine: false).attributes == [])
    }

    @Test func `a theme puts attributes on and takes them off`() {
        var own = Theme.standard
        own[.failed].added = .underline
        own[.title].removed = .bold
        let palette = Palette(tier: .full, theme: own)
        #expect(palette.style(.failed, onCursorLine: false).attributes == [.bold, .underline])
        #expect(palette.style(.title, onCursorLine: false).attributes == [])
    }
}
