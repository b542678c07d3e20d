/// What `ferry config --print-example` prints: the same bytes as `config.example.json`, which a test checks.
enum ExampleConfiguration {
    static let text = """
        {
          "destinations": {
            "films": {
              "url": "https://uploads.example.org/files/",
              "protocol": "tus",
              "parallel": 4,
              "congestionControl": "bbr",
              "auth": { "bearer": { "env": "FILMS_TOKEN" } }
            },
            "backup": {
              "url": "s3://my-bucket/laptop/",
              "protocol": "s3",
              "chunkSize": "16M",
              "parallel": 4,
              "checksum": "crc64nvme",
              "ifExists": "skip",
              "s3": { "region": "eu-west-1", "storageClass": "STANDARD_IA" },
              "limits": { "bandwidth": "5M" },
              "auth": { "s3": { "profile": "backup" } }
            },
            "objects": {
              "url": "s3://media/in/",
              "protocol": "s3",
              "s3": { "endpoint": "https://objects.example.org:9000", "addressing": "path" },
              "auth": { "s3": { "accessKey": "ferry", "secretKey": { "file": "~/.config/ferry/objects-key" } } }
            },
            "cloud": {
              "url": "https://cloud.example.org/remote.php/dav/files/ann/in/",
              "protocol": "nextcloud",
              "checksum": "sha-256",
              "ifExists": "rename",
              "auth": { "basic": { "user": "ann", "password": { "env": "CLOUD_APP_PASSWORD" } } }
            },
            "anything": {
              "url": "https://in.example.org/files/",
              "protocol": "auto"
            },
            "photos": {
              "url": "https://photos.example.org/api/upload",
              "protocol": "form",
              "field": "photo",
              "link": { "pointer": "/photos/0/page" },
              "parameters": { "album": "May", "tags": ["raw", "unsorted"] },
              "headers": { "Accept": "application/json" },
              "auth": { "bearer": { "command": ["secret-tool", "lookup", "service", "photos"] } },
              "idempotencyKey": true
            },
            "archive": {
              "url": "https://files.example.org/archive/",
              "protocol": "put",
              "checksum": "sha-256",
              "ifExists": "skip",
              "auth": { "basic": { "user": "me", "password": { "file": "~/.config/ferry/archive-password" } } },
              "tls": {
                "authorities": "~/.config/ferry/private-ca.pem",
                "pins": ["sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="],
                "minimumVersion": "1.3"
              },
              "proxy": {
                "url": "http://me@proxy.example.org:3128",
                "password": { "env": "PROXY_PASSWORD" },
                "except": ["intern.example.org", "10.0.0.0/8"]
              }
            },
            "drive": {
              "url": "https://drive.example.org/upload/",
              "protocol": "put",
              "auth": {
                "oauth2": {
                  "tokenURL": "https://sign-in.example.org/token",
                  "clientID": "ferry",
                  "clientSecret": { "env": "DRIVE_CLIENT_SECRET" },
                  "refreshToken": { "file": "~/.config/ferry/drive-refresh-token" },
                  "scope": "files.write"
                }
              }
            }
          },
          "defaultDestination": "films",
          "proxy": "environment",
          "whenFileChanges": "hold",
          "onHangUp": "stop",
          "hooks": { "failed": [["logger", "-t", "ferry", "an upload failed"]], "timeout": 10 },
          "notify": { "desktop": false, "terminal": "none", "on": ["idle", "failed", "held"] },
          "watch": [
            {
              "folder": "~/outbox", "to": "archive", "include": ["*.mov", "*.wav"], "exclude": ["raw"],
              "recursive": true, "settle": 5, "after": { "move": "~/sent" }
            }
          ],
          "limits": {
            "concurrency": 4,
            "perHost": 4,
            "bandwidth": "20M",
            "timetable": [
              { "days": "mon-fri", "from": "08:00", "to": "18:00", "bandwidth": "2M" },
              { "days": "sat,sun", "bandwidth": "off" }
            ],
            "done": 1000
          },
          "retry": { "base": 1, "cap": 120, "serverTries": 10, "onUncertain": "hold" },
          "timeouts": { "connect": 15, "stall": 30, "response": 60, "read": 30 },
          "connectivity": { "monitor": true, "metered": "use", "pauseOn": [] },
          "appearance": {
            "color": "auto", "glyphs": "auto", "theme": "default", "graph": "auto", "mouse": true, "slow": false
          },
          "keys": { "help": ["?", "F1"], "remove": ["x", "Delete"] }
        }

        """
}
