// Exported, because the errors of this target contain the system's error code.
@_exported public import struct SystemPackage.Errno

// `Date`, `Data`, `URL` and JSON for all targets. Full Foundation brings 39 MB of ICU and 50 ms to each start.
#if canImport(FoundationEssentials)
    @_exported public import FoundationEssentials
#else
    @_exported public import Foundation
#endif
