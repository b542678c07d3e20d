import FerryUploads

/// Reports the state of the folders that an engine watches, for `ferry status`.
struct WatchReporter: Sendable {
    let watches: [Watch]
    let folders: WatchedFolders

    var report: [EngineReport.Watched] {
        zip(watches, folders.states).map { watch, state in
            EngineReport.Watched(
                folder: watch.folder.path.text, to: watch.to, there: !state.isAway, settle: watch.settle,
                after: watch.after, goal: watch.goal, settling: state.settling, inUse: state.inUse)
        }
    }
}
