/// What `ferry config --print-example` prints: the same bytes as `config.example.json`, which a test checks.
enum ExampleConfiguration {
    static let text = """
        {
          "destinations": {
            "films": {
              "url": "https://uploads.example.org/files/",
              "protocol": "tus",
              "auth": { "bearer": { "env": "FILMS_TOKEN" } }
            },
            "photos": {
              "url": "https://photos.example.org/api/upload",
              "protocol": "form",
              "field": "photo",
              "parameters": { "album": "May", "tags": ["raw", "unsorted"] },
              "headers": { "Accept": "application/json" },
              "auth": { "bearer": { "command": ["secret-tool", "lookup", "service", "photos"] } },
              "idempotencyKey": true
            },
            "archive": {
              "url": "https://files.example.org/archive/",
              "protocol": "put",
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
          "limits": { "concurrency": 4, "perHost": 4, "bandwidth": "20M" },
          "retry": { "base": 1, "cap": 120, "serverTries": 10 },
          "timeouts": { "connect": 15, "stall": 30, "response": 60 },
          "connectivity": { "monitor": true },
          "appearance": { "color": "auto", "glyphs": "auto", "mouse": true }
        }

        """
}
