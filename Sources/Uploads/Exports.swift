// The public interface of this module uses `LocalPath` and `FileIdentity` of FerryFiles.
@_exported public import FerryFiles
