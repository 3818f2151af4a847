"""Points, boxes and polygons in the plane; lengths in metres, angles in radians."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    """A place in the plane."""

    x: float
    y: float

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y)

    def scaled(self, factor):
        return Point(self.x * factor, self.y * factor)

    def rotated(self, angle):
        """Turned counter-clockwise about the origin."""
        cos, sin = math.cos(angle), math.sin(angle)
        return Point(self.x * cos - self.y * sin, self.x * sin + self.y * cos)


def distance(a, b):
    return math.hypot(a.x - b.x, a.y - b.y)


def cross(a, b):
    """The z component of the cross product."""
    return a.x * b.y - a.y * b.x


@dataclass(frozen=True)
class Box:
    """An axis-parallel rectangle, both corners included."""

    low: Point
    high: Point

    def width(self):
        return self.high.x - self.low.x

    def height(self):
        return self.high.y - self.low.y

    def contains(self, point):
        inside_x = self.low.x <= point.x <= self.high.x
        inside_y = self.low.y <= point.y <= self.high.y
        return inside_x and inside_y

    def overlaps(self, other):
        if self.high.x < other.low.x or other.high.x < self.low.x:
            return False
        return self.low.y <= other.high.y and other.low.y <= self.high.y


def bounding_box(points):
    """The smallest box around all points; there must be at least one."""
    xs = [point.x for point in points]
    ys = [point.y for point in points]
    return Box(Point(min(xs), min(ys)), Point(max(xs), max(ys)))


def perimeter(polygon):
    total = 0.0
    for start, end in zip(polygon, polygon[1:] + polygon[:1]):
        total += distance(start, end)
    return total


def signed_area(polygon):
    """Positive when the corners run counter-clockwise (shoelace formula)."""
    doubled = 0.0
    for start, end in zip(polygon, polygon[1:] + polygon[:1]):
        doubled += cross(start, end)
    return doubled / 2


def centroid(polygon):
    area = signed_area(polygon)
    if area == 0:
        raise ValueError("a polygon without area has no centroid")
    x = y = 0.0
    for start, end in zip(polygon, polygon[1:] + polygon[:1]):
        weight = cross(start, end)
        x += (start.x + end.x) * weight
        y += (start.y + end.y) * weight
    return Point(x / (6 * area), y / (6 * area))


def is_convex(polygon):
    signs = set()
    count = len(polygon)
    for index in range(count):
        a, b, c = (polygon[(index + step) % count] for step in range(3))
        turn = cross(b - a, c - b)
        if turn:
            signs.add(turn > 0)
    return len(signs) <= 1
