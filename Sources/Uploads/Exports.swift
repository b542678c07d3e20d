// The types of the file layer are part of this layer's interface: `LocalPath`, `FileIdentity`.
@_exported public import FerryFiles
