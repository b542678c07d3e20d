// The types of the layer for files are part of this layer's interface: `LocalPath`, `FileIdentity`.
@_exported public import FerryFiles
