"""Weather station on the roof: smooths readings and decides when to warn. 🌦️"""

from collections import deque
from statistics import fmean

# Temperatures are in degrees Celsius, wind speeds in metres per second.
MAX_WIND = 17.0
FROST = 0.0

# 🔔 Warn at most once an hour
ALERT_PAUSE = 3600

ICONS = {"frost": "❄️", "storm": "🌪️", "heat": "🥵", "calm": "😌"}


class Window:
    """The last readings of one sensor."""

    def __init__(self, size=12):
        # A deque drops old values by itself.
        self._values = deque(maxlen=size)

    def add(self, value):
        # The sensor sometimes returns None, which is ignored
        if value is not None:
            self._values.append(value)

    def mean(self):
        return fmean(self._values) if self._values else None

    def trend(self):
        """Difference between the newer and the older half."""
        # With too few values a trend means nothing.
        if len(self._values) < 4:
            return 0.0
        values = list(self._values)
        middle = len(values) // 2
        return fmean(values[middle:]) - fmean(values[:middle])


class Station:
    """Temperature and wind, and what they mean for the garden."""

    def __init__(self, clock):
        self._clock = clock
        self._last_alert = None
        self.temperature = Window()
        self.wind = Window(size=6)

    def read(self, temperature, wind):
        # Record first, then judge ✅
        self.temperature.add(temperature)
        self.wind.add(wind)
        return self.alert()

    def state(self):
        temperature, wind = self.temperature.mean(), self.wind.mean()
        # Wind is the greater danger, so it is looked at first.
        if wind is not None and wind >= MAX_WIND:
            return "storm"
        if temperature is None:
            return "calm"
        if temperature <= FROST or temperature + self.temperature.trend() <= FROST:
            return "frost"
        # Thirty-five degrees and more count as heat 🥵
        return "heat" if temperature >= 35 else "calm"

    def alert(self):
        state = self.state()
        if state == "calm":
            return None
        now = self._clock()
        # Do not send the same warning again and again.
        if self._last_alert is not None and now - self._last_alert < ALERT_PAUSE:
            return None
        self._last_alert = now
        return f"{ICONS[state]} {state}: {self.temperature.mean()} °C, {self.wind.mean()} m/s"
