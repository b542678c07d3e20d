/// The columns of the list that fit, and the start of each.
struct Columns: Hashable, Sendable {
    /// The width of the cursor's sign and the mark.
    static let markWidth = 2
    static let numberWidth = 6
    static let sizeWidth = 5
    static let percentWidth = 4
    static let rateWidth = 7
    static let remainingWidth = 8
    static let targetWidth = 16
    static let wordWidth = 8
    static let batchWidth = 12

    let width: Int
    let hasNumber, hasWord, hasSize, hasRemaining, hasRate, hasTarget, hasBatch: Bool
    let barWidth: Int
    let nameWidth: Int
    /// The cells of the last column beyond `targetWidth`.
    private let tail: Int
    var targetWidth: Int { Self.targetWidth + tail }

    /// - Parameter hasBatches: Whether any upload has a batch, so that the column is useful.
    init(width: Int, hasBatches: Bool = false) {
        var chosen = Columns(width: width, dropped: Self.steps.count)
        for dropped in (hasBatches ? 0 : 1)...Self.steps.count {
            let columns = Columns(width: width, dropped: dropped)
            if columns.nameWidth >= (dropped == 0 ? 20 : dropped < 3 ? 24 : 16) {
                chosen = columns
                break
            }
        }
        self = chosen
    }

    private enum Step { case batch, target, number, size, barShort, barNone, remaining, word, rate }

    /// The columns in the sequence in which they are dropped as the screen gets narrower.
    private static let steps: [Step] = [
        .batch, .target, .number, .size, .barShort, .barNone, .remaining, .word, .rate,
    ]

    private init(width: Int, dropped: Int) {
        let gone = Self.steps.prefix(dropped)
        self.width = width
        hasBatch = !gone.contains(.batch)
        hasTarget = !gone.contains(.target)
        hasNumber = !gone.contains(.number)
        hasSize = !gone.contains(.size)
        hasRemaining = !gone.contains(.remaining)
        hasWord = !gone.contains(.word)
        hasRate = !gone.contains(.rate)
        // A long bar only if there is space for all columns.
        barWidth =
            gone.contains(.barNone)
            ? 0
            : gone.contains(.barShort) ? 8 : width >= 110 ? min(40, 20 + max(0, width - 120) / 4) : 13
        var used = Self.markWidth + 1 + Self.percentWidth + 1
        used += 2 + (hasWord ? Self.wordWidth + 1 : 0)
        used += hasNumber ? Self.numberWidth + 1 : 0
        used += hasSize ? Self.sizeWidth + 1 : 0
        used += barWidth > 0 ? barWidth + 1 : 0
        used += hasRate ? Self.rateWidth + 1 : 0
        used += hasRemaining ? Self.remainingWidth + 1 : 0
        used += hasTarget ? Self.targetWidth + 2 : 0
        used += hasBatch ? Self.batchWidth + 1 : 0
        let room = max(0, width - used + 1)
        // Names are rarely longer; messages are.
        tail = hasTarget ? max(0, room - Self.longestName) * 3 / 4 : 0
        nameWidth = room - tail
    }

    /// The width of a name above which the messages get a part of the space.
    private static let longestName = 48

    var number: Int { Self.markWidth }
    var sign: Int { Self.markWidth + (hasNumber ? Self.numberWidth + 1 : 0) }
    var word: Int { sign + 2 }
    var name: Int { word + (hasWord ? Self.wordWidth + 1 : 0) }
    var batch: Int { name + nameWidth + 1 }
    var size: Int { batch + (hasBatch ? Self.batchWidth + 1 : 0) }
    var bar: Int { size + (hasSize ? Self.sizeWidth + 1 : 0) }
    var percent: Int { bar + (barWidth > 0 ? barWidth + 1 : 0) }
    /// The column at which the rate and the remaining time begin, or the message in their place.
    var rate: Int { percent + Self.percentWidth + 1 }
    var remaining: Int { rate + (hasRate ? Self.rateWidth + 1 : 0) }
    var target: Int { remaining + (hasRemaining ? Self.remainingWidth + 1 : 0) + 1 }
}
