extension Action {
    /// The words for this action that users of lazygit, k9s, rclone or git type into the help's search.
    var synonyms: String {
        switch self {
        case .pause: "stop hold suspend continue unpause start toggle"
        case .pauseAll: "stop everything hold suspend continue resume"
        case .retry: "again repeat restart rerun resend failed error"
        case .retryAll: "again repeat restart resend everything errors"
        case .remove: "delete cancel kill abort drop discard stop rm"
        case .clearDone: "remove delete finished completed purge clean"
        case .undo: "revert back restore"
        case .redo: "again repeat forward"
        case .quit: "exit leave close stop end"
        case .detach: "background leave exit disconnect daemon screen"
        case .add: "upload new file queue put send push enqueue"
        case .filter: "search find grep match"
        case .order: "sort by name size state sorting column"
        case .limitBandwidth: "bandwidth speed rate throttle bwlimit slow fast"
        case .limitConcurrency: "concurrency parallel transfers jobs workers simultaneous"
        case .tryNow: "reconnect online network connection refresh"
        case .details: "information inspect describe view enter open error reason"
        case .openLog: "logs history messages events journal"
        case .copy: "yank clipboard url path"
        case .mark: "select choose pick toggle"
        case .markAll: "select everything"
        case .markRange: "select visual several"
        case .invertMarks: "select invert reverse"
        case .escape: "deselect unmark reset cancel"
        case .moveUp, .moveToTop: "priority prioritize first sooner reorder"
        case .moveDown, .moveToBottom: "priority later last reorder"
        case .changeGraph: "chart throughput history plot"
        case .show(.failed): "errors broken tab"
        case .show: "tab view list filter"
        case .startEngine: "attach restart daemon reconnect"
        case .suspend: "shell job background"
        case .redraw: "refresh repaint redraw clear"
        case .help: "keys shortcuts bindings manual"
        case .up, .down, .pageUp, .pageDown, .halfPageUp, .halfPageDown, .top, .bottom:
            "scroll cursor navigate jump"
        default: ""
        }
    }
}
