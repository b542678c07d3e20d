import Foundation
import Testing

@testable import TUI

@Suite struct PaletteTests {
    @Test func `without colours no role has one`() {
        for palette in [Palette(tier: .mono), Palette(tier: .full, theme: .mono)] {
            for role in Role.allCases {
                let style = palette.style(role, onCursorLine: false)
                #expect(style.foreground == nil && style.background == nil)
            }
        }
    }

    @Test(arguments: [(Palette.Tier.basic, 8), (.full, 256)], Theme.builtIn.map(\.value))
    func `every role stays within the colours of its tier`(tier: (Palette.Tier, Int), theme: Theme) {
        let (tier, colours) = tier
        for role in Role.allCases {
            for onCursorLine in [false, true] {
                let style = Palette(tier: tier, theme: theme).style(role, onCursorLine: onCursorLine)
                for colour in [style.foreground, style.background].compactMap({ $0 }) {
                    #expect((0..<colours).contains(colour))
                }
                // Bright black on black cannot be read on many terminals.
                #expect(tier == .full || style.foreground != 8)
            }
        }
    }

    @Test(arguments: [(Theme.standard, 0.0, 4.5), (.light, 1, 4.5), (.highContrast, 0, 7)])
    func `what carries text can be read on the background it is made for`(
        theme: Theme, luminance: Double, least: Double
    ) {
        let palette = Palette(tier: .full, theme: theme)
        // A bar's rest says nothing that its number does not say.
        for role in Role.allCases where role != .barRest {
            for onCursorLine in [false, true] {
                let style = palette.style(role, onCursorLine: onCursorLine)
                let text = style.foreground.map(Self.luminance) ?? 1 - luminance
                let behind = style.background.map(Self.luminance) ?? luminance
                let contrast = (max(text, behind) + 0.05) / (min(text, behind) + 0.05)
                #expect(contrast >= least, "\(role), cursor's line: \(onCursorLine)")
            }
        }
    }

    /// Of a colour of xterm's 256, as WCAG 2.2 defines it: 0 is black and 1 white.
    private static func luminance(_ number: Int) -> Double {
        let parts: [Int] =
            if number >= 232 {
                Array(repeating: 8 + 10 * (number - 232), count: 3)
            } else {
                [(number - 16) / 36, (number - 16) / 6 % 6, (number - 16) % 6].map {
                    $0 == 0 ? 0 : 55 + 40 * $0
                }
            }
        let linear = parts.map { part in
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
        (0, Palette.Tier.mono), (8, .basic), (16, .basic), (88, .basic), (256, .full), (1 << 24, .full),
    ])
    func `the tier follows the number of colours`(colours: Int, tier: Palette.Tier) {
        #expect(Palette.Tier(colours: colours) == tier)
    }

    @Test func `states differ without colour`() {
        for isUnicode in [true, false] {
            let signs = RowAppearance.Sign.allCases.map { Glyphs(isUnicode: isUnicode).state($0) }
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
