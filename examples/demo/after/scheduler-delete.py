"""Run jobs at their time, the most urgent first."""

import heapq
import itertools
import time


class Job:
    """A callable with a time and a priority; a lower number is more urgent."""

    def __init__(self, action, due, priority=10, name=""):
        self.action = action
        self.due = due
        self.priority = priority
        self.name = name or getattr(action, "__name__", "job")
        self.attempts = 0

    def __repr__(self):
        return f"<Job {self.name} due {self.due:.0f}>"


class Scheduler:
    """A heap of jobs and a clock that tests can replace."""

    def __init__(self, clock=time.monotonic, sleep=time.sleep):
        self._clock = clock
        self._sleep = sleep
        self._heap = []
        self._tie = itertools.count()

    def add(self, job):
        heapq.heappush(self._heap, (job.due, job.priority, next(self._tie), job))

    def add_in(self, seconds, action, **options):
        job = Job(action, self._clock() + seconds, **options)
        self.add(job)
        return job

    def cancel(self, job):
        """Forget a job that has not run yet; says whether there was one."""
        before = len(self._heap)
        self._heap = [entry for entry in self._heap if entry[-1] is not job]
        heapq.heapify(self._heap)
        return len(self._heap) < before

    def next_due(self):
        return self._heap[0][0] if self._heap else None

    def run_pending(self):
        """Run all jobs whose time has come and return how many there were."""
        count = 0
        while self._heap and self._heap[0][0] <= self._clock():
            *_, job = heapq.heappop(self._heap)
            job.attempts += 1
            job.action()
            count += 1
        return count

    def run_until_empty(self):
        while self._heap:
            wait = self.next_due() - self._clock()
            if wait > 0:
                self._sleep(wait)
            self.run_pending()


def every(scheduler, seconds, action):
    """Repeat an action; cancel the returned job's successor by raising StopIteration."""

    def again():
        try:
            action()
        except StopIteration:
            return
        scheduler.add_in(seconds, again, name=f"every {seconds} s")

    return scheduler.add_in(seconds, again, name=f"every {seconds} s")


def retry(scheduler, action, attempts=3, pause=1.0):
    """Run an action again after a failure, each time after twice the pause."""

    def attempt(left, wait):
        try:
            action()
        except Exception:
            if left <= 1:
                raise
            scheduler.add_in(wait, lambda: attempt(left - 1, 2 * wait))

    return scheduler.add_in(0, lambda: attempt(attempts, pause))
