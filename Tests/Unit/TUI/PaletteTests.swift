import Foundation
import Testing

@testable import FerryTUI

extension RGB {
    fileprivate init(direct number: Int) {
        self.init(UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF))
    }
}

@Suite struct PaletteTests {
    @Test func `without colours no role has one`() {
        for palette in [Palette(tier: .mono), Palette(tier: .full, theme: .mono)] {
            for role in Role.allCases {
                let style = palette.style(role, onCursorLine: false)
                #expect(style.foreground == nil && style.background == nil)
            }
        }
    }

    @Test(arguments: [(Palette.Tier.basic, 8), (.full, 256), (.direct, 1 << 24)], Theme.builtIn.map(\.value))
    func `every role stays within the colours of its tier`(tier: (Palette.Tier, Int), theme: Theme) {
        let (tier, colours) = tier
        for role in Role.allCases {
            for onCursorLine in [false, true] {
                let style = Palette(tier: tier, theme: theme).style(role, onCursorLine: onCursorLine)
                for colour in [style.foreground, style.background].compactMap({ $0 }) {
                    #expect((0..<colours).contains(colour))
                }
                // Many terminals show bright black on black as invisible.
                #expect(tier != .basic || style.foreground != 8)
            }
        }
    }

    @Test(
        arguments: [Palette.Tier.full, .direct],
        [(Theme.standard, 0.0, 4.5), (.light, 1, 4.5), (.highContrast, 0, 7)])
    func `colours of text are readable on the background of their theme`(
        tier: Palette.Tier, made: (theme: Theme, luminance: Double, least: Double)
    ) {
        let (theme, luminance, least) = made
        let palette = Palette(tier: tier, theme: theme)
        func shade(_ number: Int) -> Double {
            Self.luminance(tier == .full ? RGB(palette: number) : RGB(direct: number))
        }
        // The empty part of a progress bar need not be readable, as the percentage stands beside it.
        for role in Role.allCases where role != .barRest {
            for onCursorLine in [false, true] {
                let style = palette.style(role, onCursorLine: onCursorLine)
                let text = style.foreground.map(shade) ?? 1 - luminance
                let behind = style.background.map(shade) ?? luminance
                let contrast = (max(text, behind) + 0.05) / (min(text, behind) + 0.05)
                #expect(contrast >= least, "\(role), cursor's line: \(onCursorLine)")
            }
        }
    }

    /// Returns the relative luminance of WCAG 2.2: 0 for black, 1 for white.
    private static func luminance(_ colour: RGB) -> Double {
        let linear = [colour.red, colour.green, colour.blue].map { part in
            let share = Double(part) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    @Test(arguments: Palette.Tier.allCases, Theme.builtIn.map(\.value))
    func `the line under the cursor looks different in every role`(tier: Palette.Tier, theme: Theme) {
        for role in Role.allCases where role != .selection && role != .banner {
            let palette = Palette(tier: tier, theme: theme)
            #expect(palette.style(role, onCursorLine: true) != palette.style(role, onCursorLine: false))
        }
    }

    @Test(arguments: [
        (0, false, Palette.Tier.mono), (8, false, .basic), (16, false, .basic), (88, false, .basic),
        (256, false, .full), (1 << 24, false, .full), (1 << 24, true, .direct), (1 << 16, true, .basic),
        (0, true, .mono),
    ])
    func `the tier follows the number of colours and how they are counted`(
        colours: Int, areDirect: Bool, tier: Palette.Tier
    ) {
        #expect(Palette.Tier(colours: colours, areDirect: areDirect) == tier)
    }

    @Test func `an exact colour looks as the one of 256 that it was made from`() {
        for theme in Theme.builtIn.map(\.value) {
            for role in Role.allCases {
                let full = Palette(tier: .full, theme: theme).style(role, onCursorLine: false)
                let exact = Palette(tier: .direct, theme: theme).style(role, onCursorLine: false)
                #expect(exact.foreground == full.foreground.map { RGB(palette: $0).directNumber })
                #expect(exact.attributes == full.attributes)
            }
        }
    }

    /// Some terminfo entries take the numbers below 8, 16 or 256 as palette colours.
    @Test(arguments: [
        ("#000000", 0x000100), ("#0000ff", 0x0001FF), ("#000100", 0x000100), ("#5fafff", 0x5FAFFF),
    ])
    func `no exact colour has the number of one of a palette`(text: String, number: Int) {
        #expect(RGB(text)?.directNumber == number)
    }

    @Test func `states differ without colour`() {
        for isUnicode in [true, false] {
            let signs = StateKind.allCases.map { Glyphs(isUnicode: isUnicode).state($0) }
            #expect(Set(signs).count == signs.count)
            #expect(signs.allSatisfy { CellWidth.of($0) == 1 })
            if !isUnicode { #expect(signs.joined().utf8.allSatisfy { $0 < 0x80 }) }
        }
    }

    @Test(arguments: [-1.0, 0, 0.001, 0.5, 0.999, 1, 7, .nan, .infinity])
    func `a bar fills its width whatever the share`(share: Double) {
        for isUnicode in [true, false] {
            for width in 0...40 {
                let bar = Glyphs(isUnicode: isUnicode).bar(share, width: width)
                #expect(bar.full.count + bar.rest.count == width)
            }
        }
    }
}
