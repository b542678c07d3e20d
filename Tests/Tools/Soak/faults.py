"""Makes random faults of the links, the network, the servers and the engine."""

import collections
import heapq
import signal
import subprocess
import time

from link_lab import CLIENT_DEVICE, HOST, in_client

OUTAGES = ["cut", "close", "freeze", "silence", "mute", "refuse"]
WEIGHTS = {"link": 12, "kill": 3, "device down": 1, "address": 1.5, "drop": 1, "server kill": 2, "server hangs": 1}


def link_words(random):
    """Returns the options of a random kind of link."""
    words = ["--latency", random.choice([0, 1, 10, 50]), "--jitter", random.choice([0, 0, 5]),
             "--seed", random.randrange(1 << 32)]
    if random.random() < 0.5:
        words += ["--bandwidth", random.choice([200_000, 1_000_000, 4_000_000])]
    kind = random.choice([*OUTAGES, *OUTAGES, "segments", "breaks", "steady", "slow to take connections"])
    if kind in OUTAGES:
        words += ["--up", round(random.uniform(0.2, 4), 2), "--down", round(random.uniform(0.1, 3), 2), "--outage", kind]
    elif kind == "segments":
        words += ["--segment-size", random.choice([40, 500, 1400]), "--interim-answers", random.randint(0, 3)]
    elif kind == "breaks":
        counts = sorted(int(10 ** random.uniform(1.5, 6)) for _ in range(random.randint(1, 8)))
        words += ["--cut-after", *counts]
    elif kind == "slow to take connections":
        words += ["--accept-delay", random.choice([200, 1000, 2500])]
    return kind, words


class Faults:
    """Makes faults until a given time, and then removes all of them."""

    def __init__(self, ferry, places, random):
        self.ferry, self.places, self.random = ferry, places, random
        self.counts = collections.Counter()
        self._later = []
        self._order = 0
        self._is_network_bad = False
        self._busy = set()
        self._address = 2

    def run(self, until):
        while time.monotonic() < until:
            self.one()
            wake = min(until, time.monotonic() + self.random.choice([0.1, 0.3, 0.6, 1, 1.5]))
            while time.monotonic() < wake:
                self.ferry.check()
                self._do_what_is_due(time.monotonic())
                time.sleep(0.01)

    def end(self):
        self._do_what_is_due(float("inf"))
        self.ferry.start()

    def one(self):
        kind = self.random.choices(list(WEIGHTS), WEIGHTS.values())[0]
        match kind:
            case "link":
                place = self.random.choice(self.places)
                kind, words = link_words(self.random)
                place.set_link(words)
            case "kill":
                if not self.ferry.kill():
                    return
                wait = self.random.choice([0, 0, 0.5, 2])
                self._after(wait, self.ferry.start)
                if self.random.random() < 0.3:
                    # The engine is killed while it starts.
                    self._after(wait + self.random.uniform(0, 0.3), self._kill_again)
            case "server kill" | "server hangs":
                place = self.random.choice(self.places)
                if place.name in self._busy or kind == "server kill" and not place.survives_kills:
                    return
                self._busy.add(place.name)
                if kind == "server kill":
                    place.server.kill()
                else:
                    place.signal(signal.SIGSTOP)
                self._after(self.random.choice([0, 0.5, 2, 5]), lambda: self._bring_back(kind, place))
            case _:
                if self._is_network_bad:
                    return
                self._is_network_bad = True
                {"device down": self._take_down, "address": self._change_address, "drop": self._drop}[kind]()
        self.counts[kind] += 1

    def _after(self, seconds, what):
        self._order += 1
        heapq.heappush(self._later, (time.monotonic() + seconds, self._order, what))

    def _do_what_is_due(self, now):
        if self.ferry.kill_at is not None and self.ferry.kill_at <= now:
            self.ferry.kill_at = None
            self._kill_again()
        while self._later and self._later[0][0] <= now:
            heapq.heappop(self._later)[2]()

    def _kill_again(self):
        if self.ferry.kill():
            self.counts["kill"] += 1
            self._after(self.random.choice([0, 1]), self.ferry.start)

    def _bring_back(self, kind, place):
        if kind == "server kill":
            place.server.start()
        else:
            place.signal(signal.SIGCONT)
        self._busy.discard(place.name)

    def _take_down(self):
        in_client(f"ip link set {CLIENT_DEVICE} down")

        def back():
            in_client(f"ip link set {CLIENT_DEVICE} up")
            self._restore_route()

        self._after(self.random.choice([0.1, 1, 3, 6]), back)

    def _change_address(self):
        in_client(f"ip addr del 10.77.0.{self._address}/24 dev {CLIENT_DEVICE}")
        self._address = self._address % 200 + 2

        def back():
            in_client(f"ip addr add 10.77.0.{self._address}/24 dev {CLIENT_DEVICE}")
            self._restore_route()

        self._after(self.random.choice([0, 0.5, 2]), back)

    def _drop(self):
        for command in (
            "add table inet soak",
            "add chain inet soak out { type filter hook output priority 0 ; policy accept ; }",
            "add chain inet soak in { type filter hook input priority 0 ; policy accept ; }",
            f"add rule inet soak out oifname {CLIENT_DEVICE} drop",
            f"add rule inet soak in iifname {CLIENT_DEVICE} drop",
        ):
            in_client("nft " + command)

        def back():
            in_client("nft delete table inet soak")
            self._is_network_bad = False

        self._after(self.random.choice([0.5, 2, 5, 8]), back)

    def _restore_route(self):
        in_client(f"ip route replace default via {HOST}")
        self._is_network_bad = False
