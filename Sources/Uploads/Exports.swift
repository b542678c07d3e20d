// The public interface of this module uses `LocalPath` and `FileIdentity` of FerryFiles, so clients need FerryFiles
// too.
@_exported public import FerryFiles
