"""Weather station on the roof: smooths readings and decides when to warn. 🌦️"""

from collections import deque
from statistics import fmean

# 気温の単位は摂氏、風速は毎秒メートル。
MAX_WIND = 17.0
FROST = 0.0

# 🔔 每小时最多提醒一次
ALERT_PAUSE = 3600

ICONS = {"frost": "❄️", "storm": "🌪️", "heat": "🥵", "calm": "😌"}


class Window:
    """The last readings of one sensor."""

    def __init__(self, size=12):
        # deque は古い値を自動的に捨てる。
        self._values = deque(maxlen=size)

    def add(self, value):
        # 传感器偶尔会返回 None,忽略即可
        if value is not None:
            self._values.append(value)

    def mean(self):
        return fmean(self._values) if self._values else None

    def trend(self):
        """Difference between the newer and the older half."""
        # 値が少なすぎると傾向は意味がない。
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
        # 先记录,再判断 ✅
        self.temperature.add(temperature)
        self.wind.add(wind)
        return self.alert()

    def state(self):
        temperature, wind = self.temperature.mean(), self.wind.mean()
        # 風のほうが危険なので先に調べる。
        if wind is not None and wind >= MAX_WIND:
            return "storm"
        if temperature is None:
            return "calm"
        if temperature <= FROST or temperature + self.temperature.trend() <= FROST:
            return "frost"
        # 三十五度以上算高温 🥵
        return "heat" if temperature >= 35 else "calm"

    def alert(self):
        state = self.state()
        if state == "calm":
            return None
        now = self._clock()
        # 同じ警告を何度も送らない。
        if self._last_alert is not None and now - self._last_alert < ALERT_PAUSE:
            return None
        self._last_alert = now
        return f"{ICONS[state]} {state}: {self.temperature.mean()} °C, {self.wind.mean()} m/s"
