"""Monthly report of a bicycle rental, as plain text for a mail."""

import datetime
import sys

WIDTH = 60


def money(cents):
    return f"{cents // 100}.{cents % 100:02d} EUR"


def percent(part, whole):
    if not whole:
        return "n/a"
    return f"{100 * part / whole:.1f} %"


def heading(title, level=1):
    line = ("=" if level == 1 else "-") * len(title)
    return f"{title}\n{line}\n"


def row(label, value):
    gap = max(1, WIDTH - len(label) - len(value))
    return f"{label}{'.' * gap}{value}"


class Station:
    """A place where bicycles are taken and brought back."""

    def __init__(self, name, docks):
        self.name = name
        self.docks = docks
        self.taken = 0
        self.returned = 0

    def __repr__(self):
        return f"Station(name={self.name!r}, docks={self.docks!r})"

    def balance(self):
        return self.returned - self.taken

    def summary(self):
        text = f"{self.name}: {self.taken} taken, {self.returned} returned"
        if self.balance() < 0:
            text += f", {-self.balance()} to be brought"
        return text


class Month:
    """All that happened between the first and the last of a month."""

    def __init__(self, year, month):
        self.first = datetime.date(year, month, 1)
        self.stations = {}
        self.rides = []

    def station(self, name, docks=20):
        return self.stations.setdefault(name, Station(name, docks))

    def add_ride(self, start, end, minutes, cents):
        if minutes < 0:
            raise ValueError(f"ride from {start} to {end} ended before it began")
        self.station(start).taken += 1
        self.station(end).returned += 1
        self.rides.append((minutes, cents))

    def title(self):
        return f"Rides in {self.first:%B %Y}"

    def lines(self):
        minutes = sum(ride[0] for ride in self.rides)
        cents = sum(ride[1] for ride in self.rides)
        long_rides = sum(1 for ride in self.rides if ride[0] > 30)
        yield heading(self.title())
        yield row("Rides", str(len(self.rides)))
        yield row("Hours", f"{minutes / 60:.1f}")
        yield row("Longer than half an hour", percent(long_rides, len(self.rides)))
        yield row("Income", money(cents))
        yield ""
        yield heading("Stations", level=2)
        for name in sorted(self.stations):
            yield self.stations[name].summary()


def send(month, recipients, out=sys.stdout):
    for recipient in recipients:
        out.write(f"To: {recipient}\nSubject: {month.title()}\n\n")
        out.write("\n".join(month.lines()))
        out.write(f"\n\nSent on {datetime.date.today().isoformat()}.\n")
