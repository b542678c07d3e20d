import Testing

@testable import TUI

@Suite struct PaletteTests {
    @Test func `without colours no role has one`() {
        for role in Role.allCases {
            let style = Palette(tier: .mono).style(role, onCursorLine: false)
            #expect(style.foreground == nil && style.background == nil)
        }
    }

    @Test(arguments: [(Palette.Tier.basic, 16), (.full, 256)])
    func `every role stays within the colours of its tier`(tier: Palette.Tier, colours: Int) {
        for role in Role.allCases {
            for onCursorLine in [false, true] {
                let style = Palette(tier: tier).style(role, onCursorLine: onCursorLine)
                for colour in [style.foreground, style.background].compactMap({ $0 }) {
                    #expect((0..<colours).contains(colour))
                }
                // Bright black on black cannot be read on many terminals.
                #expect(tier == .full || style.foreground != 8)
            }
        }
    }

    @Test(arguments: Palette.Tier.allCases)
    func `the line under the cursor looks different in every role`(tier: Palette.Tier) {
        for role in Role.allCases where role != .selection && role != .banner {
            let palette = Palette(tier: tier)
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
