"""Authentication of hostile servers: a gate responds to a request unless it is signed in."""

import hashlib
import json
import re
import urllib.parse

from exchange import Answer

USER, PASSWORD = "ann", "secret"
#: The numbers of requests for which a nonce or token is valid: more than one upload makes at once.
LIFETIMES = (6, 1000)


class Digest:
    """HTTP Digest (RFC 7616), with nonces that expire after a few requests."""

    realm = "uploads"

    def __init__(self, chance):
        self.algorithm = chance.choice(("MD5", "SHA-256"))
        self.lifetime = chance.choice(LIFETIMES)
        #: The number of further requests for which each nonce is valid.
        self.left = {}

    @staticmethod
    def options(origin, authority):
        return {"auth": {"basic": {"user": USER, "password": {"env": "FERRY_TEST_SECRET"}}}}

    def answer(self, request):
        """Returns None for a request that is signed in."""
        given = request.fields.get("authorization", "")
        is_stale = False
        if given.lower().startswith("digest ") and (nonce := self.nonce(request, given)):
            if self.left[nonce] > 0:
                self.left[nonce] -= 1
                return None
            is_stale = True
        nonce = f"n{len(self.left)}"
        self.left[nonce] = self.lifetime
        challenge = (
            f'Digest realm="{self.realm}", qop="auth", algorithm={self.algorithm}, nonce="{nonce}"'
            + (", stale=true" if is_stale else ""))
        return Answer(401, [("WWW-Authenticate", challenge)], is_about_body=request.method == "HEAD")

    def nonce(self, request, given):
        """Returns the nonce of a correct signature; None for a wrong one."""
        pairs = re.findall(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,\s]+))', given)
        words = {name.lower(): quoted or plain for name, quoted, plain in pairs}
        if words.get("nonce") not in self.left:
            return None
        first = self.sum(f"{USER}:{self.realm}:{PASSWORD}")
        second = self.sum(f"{request.method}:{words.get('uri')}")
        parts = (first, words["nonce"], words.get("nc"), words.get("cnonce"), words.get("qop"), second)
        return words["nonce"] if words.get("response") == self.sum(":".join(map(str, parts))) else None

    def sum(self, text):
        return (hashlib.md5 if self.algorithm == "MD5" else hashlib.sha256)(text.encode()).hexdigest()


class OAuth:
    """Bearer tokens that a token server at the same origin renews. Some of them expire early."""

    path = "/sign-in/token"

    def __init__(self, chance):
        self.lifetime = chance.choice(LIFETIMES)
        #: The number of further requests for which each token is valid.
        self.left = {}

    @classmethod
    def options(cls, origin, authority):
        tls = {"tls": {"caFile": str(authority)}} if origin.startswith("https") else {}
        return {"auth": {"oauth2": {
            "tokenURL": origin + cls.path, "clientID": "ferry", "refreshToken": {"env": "FERRY_TEST_SECRET"}, **tls}}}

    def answer(self, request):
        if request.path == self.path:
            form = urllib.parse.parse_qs(request.body.decode("latin-1"))
            if form.get("grant_type") != ["refresh_token"]:
                return self.document(400, {"error": "unsupported_grant_type"})
            token = f"token-{len(self.left)}"
            self.left[token] = self.lifetime
            return self.document(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600})
        token = request.fields.get("authorization", "").removeprefix("Bearer ")
        if self.left.get(token, 0) > 0:
            self.left[token] -= 1
            return None
        return Answer(
            401, [("WWW-Authenticate", 'Bearer error="invalid_token"')], is_about_body=request.method == "HEAD")

    def document(self, status, content):
        return Answer(status, [("Content-Type", "application/json")], json.dumps(content).encode())
