extension MediaType {
    /// The sorted types with their extensions, mostly from Debian's `media-types`. The test has the reasons for the
    /// others.
    static let table = """
        application/atom+xml atom
        application/cbor cbor
        application/dicom dcm
        application/epub+zip epub
        application/geo+json geojson
        application/gpx+xml gpx
        application/gzip gz gzip tgz
        application/java-archive jar
        application/json json
        application/json-patch+json json-patch
        application/jsonl jsonl
        application/ld+json jsonld
        application/manifest+json webmanifest
        application/mathml+xml mml
        application/mbox mbox
        application/msaccess mdb
        application/msword doc
        application/mxf mxf
        application/octet-stream bin dat img
        application/ogg ogx
        application/onenote one
        application/oxps oxps
        application/pdf pdf
        application/pem-certificate-chain pem
        application/pgp-encrypted pgp
        application/pgp-keys asc
        application/pgp-signature sig
        application/pkcs12 p12 pfx
        application/pkcs7-mime p7c p7m
        application/pkcs7-signature p7s
        application/pkix-cert cer
        application/pkix-crl crl
        application/postscript ai eps ps
        application/rdf+xml rdf
        application/relax-ng-compact-syntax rnc
        application/rss+xml rss
        application/rtf rtf
        application/smil+xml smil
        application/sql sql
        application/tei+xml tei
        application/toml toml
        application/ttml+xml ttml
        application/vnd.adobe.flash.movie swf
        application/vnd.amazon.mobi8-ebook azw3
        application/vnd.android.package-archive apk
        application/vnd.apache.arrow.file arrow
        application/vnd.apache.parquet parquet
        application/vnd.apple.mpegurl m3u8
        application/vnd.apple.numbers numbers
        application/vnd.apple.pages pages
        application/vnd.debian.binary-package deb
        application/vnd.google-earth.kml+xml kml
        application/vnd.google-earth.kmz kmz
        application/vnd.ms-3mfdocument 3mf
        application/vnd.ms-asf asf
        application/vnd.ms-cab-compressed cab
        application/vnd.ms-excel xls xlt
        application/vnd.ms-excel.sheet.binary.macroEnabled.12 xlsb
        application/vnd.ms-excel.sheet.macroEnabled.12 xlsm
        application/vnd.ms-htmlhelp chm
        application/vnd.ms-outlook msg
        application/vnd.ms-powerpoint pps ppt
        application/vnd.ms-powerpoint.addin.macroEnabled.12 ppam
        application/vnd.ms-powerpoint.presentation.macroEnabled.12 pptm
        application/vnd.ms-project mpp
        application/vnd.ms-word.document.macroEnabled.12 docm
        application/vnd.ms-word.template.macroEnabled.12 dotm
        application/vnd.ms-works wps
        application/vnd.ms-xpsdocument xps
        application/vnd.oasis.opendocument.base odb
        application/vnd.oasis.opendocument.graphics odg
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.presentation-template otp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.text odt
        application/vnd.oasis.opendocument.text-template ott
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.presentationml.slideshow ppsx
        application/vnd.openxmlformats-officedocument.presentationml.template potx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.spreadsheetml.template xltx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.openxmlformats-officedocument.wordprocessingml.template dotx
        application/vnd.rar rar
        application/vnd.sqlite3 sqlite sqlite3
        application/vnd.tcpdump.pcap pcap
        application/vnd.visio vsd
        application/vnd.wordperfect wpd
        application/wasm wasm
        application/wsdl+xml wsdl
        application/x-7z-compressed 7z
        application/x-abiword abw
        application/x-apple-diskimage dmg
        application/x-bittorrent torrent
        application/x-bzip2 bz2 tbz2
        application/x-cpio cpio
        application/x-dvi dvi
        application/x-hdf hdf
        application/x-ipynb+json ipynb
        application/x-iso9660-image iso
        application/x-latex latex
        application/x-lha lha
        application/x-lz4 lz4
        application/x-lzh lzh
        application/x-lzip lz
        application/x-mobipocket-ebook mobi
        application/x-msdos-program dll exe
        application/x-msi msi
        application/x-ndjson ndjson
        application/x-redhat-package-manager rpm
        application/x-ruby rb
        application/x-sh sh
        application/x-stuffit sit sitx
        application/x-tar tar
        application/x-tcl tcl
        application/x-x509-ca-cert crt
        application/x-xz txz xz
        application/xhtml+xml xht xhtml
        application/xml xml xsd
        application/xml-dtd dtd
        application/xslt+xml xsl xslt
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/aac aac adts
        audio/ac3 ac3
        audio/AMR amr
        audio/basic au snd
        audio/flac flac
        audio/matroska mka
        audio/midi mid midi
        audio/mp4 m4a m4b
        audio/mpeg mp1 mp2 mp3 mpga
        audio/mpegurl m3u
        audio/ogg oga ogg opus spx
        audio/wav wav
        audio/webm weba
        audio/x-aiff aif aifc aiff
        audio/x-ms-wma wma
        audio/x-pn-realaudio ra ram
        audio/x-scpls pls
        font/collection ttc
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/aces exr
        image/apng apng
        image/avif avif
        image/bmp bmp
        image/dpx dpx
        image/emf emf
        image/fits fits
        image/gif gif
        image/heic heic
        image/heic-sequence heics
        image/heif heif
        image/heif-sequence heifs
        image/ief ief
        image/jls jls
        image/jp2 jp2 jpg2
        image/jpeg jfif jpe jpeg jpg
        image/jpm jpm
        image/jpx jpf jpx
        image/jxl jxl
        image/jxr jxr
        image/jxs jxs
        image/ktx ktx
        image/ktx2 ktx2
        image/png png
        image/svg+xml svg
        image/tiff tif tiff
        image/vnd.adobe.photoshop psd
        image/vnd.djvu djvu
        image/vnd.dwg dwg
        image/vnd.dxf dxf
        image/vnd.microsoft.icon ico
        image/vnd.radiance hdr
        image/vnd.zbrush.pcx pcx
        image/webp webp
        image/wmf wmf
        image/x-adobe-dng dng
        image/x-canon-cr2 cr2
        image/x-canon-crw crw
        image/x-coreldraw cdr
        image/x-fuji-raf raf
        image/x-nikon-nef nef
        image/x-olympus-orf orf
        image/x-portable-anymap pnm
        image/x-portable-bitmap pbm
        image/x-portable-graymap pgm
        image/x-portable-pixmap ppm
        image/x-sony-arw arw
        image/x-xbitmap xbm
        image/x-xcf xcf
        image/x-xpixmap xpm
        message/rfc822 eml
        model/gltf+json gltf
        model/gltf-binary glb
        model/iges iges igs
        model/mtl mtl
        model/obj obj
        model/step step stp
        model/stl stl
        model/vnd.usdz+zip usdz
        model/vrml wrl
        text/cache-manifest appcache
        text/calendar ics ifb
        text/css css
        text/csv csv
        text/csv-schema csvs
        text/html htm html shtml
        text/javascript js mjs
        text/markdown markdown md
        text/n3 n3
        text/plain log pot srt text txt
        text/prs.fallenstein.rst rst
        text/SGML sgml
        text/tab-separated-values tsv
        text/turtle ttl
        text/vcard vcard vcf
        text/vnd.graphviz gv
        text/vtt vtt
        text/x-bibtex bib
        text/x-c++hdr hh hpp
        text/x-c++src cc cpp cxx
        text/x-chdr h
        text/x-csrc c
        text/x-diff diff patch
        text/x-go go
        text/x-java java
        text/x-pascal pas
        text/x-perl pl pm
        text/x-python py
        text/x-swift swift
        text/x-tex tex
        video/3gpp 3gp
        video/3gpp2 3g2
        video/dv dv
        video/iso.segment m4s
        video/matroska mkv
        video/mj2 mj2
        video/mp2t m2ts mts ts
        video/mp4 m4v mp4 mpg4
        video/mpeg m1v m2v mpe mpeg mpg
        video/ogg ogv
        video/quicktime mov qt
        video/webm webm
        video/x-flv flv
        video/x-ms-wmv wmv
        video/x-msvideo avi
        """
}
