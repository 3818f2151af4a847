"""A pool of threads that resize pictures and tell how far they are."""

import logging
import queue
import threading

logger = logging.getLogger(__name__)


class Worker(threading.Thread):
    """Takes tasks from a queue until it finds None there."""

    def __init__(self, tasks, results, resize):
        super().__init__(daemon=True)
        self._tasks = tasks
        self._results = results
        self._resize = resize
        self.done = 0

    def run(self):
        logger.debug("%s starts", self.name)
        while (task := self._tasks.get()) is not None:
            try:
                self.handle(task)
            finally:
                self._tasks.task_done()
        self._tasks.task_done()

    def handle(self, task):
        path, size = task
        logger.debug("resizing %s to %s", path, size)
        try:
            picture = self._resize(path, size)
        except OSError as error:
            logger.warning("cannot resize %s: %s", path, error)
            self._results.put((path, None, error))
        else:
            self._results.put((path, picture, None))
            self.done += 1


class Pool:
    """A fixed number of workers behind one queue."""

    def __init__(self, resize, count=4):
        self._tasks = queue.Queue(maxsize=8 * count)
        self._results = queue.Queue()
        self.workers = [Worker(self._tasks, self._results, resize) for _ in range(count)]

    def start(self):
        logger.debug("starting %d workers", len(self.workers))
        for worker in self.workers:
            worker.start()

    def submit(self, path, size):
        logger.debug("submitting %s", path)
        self._tasks.put((path, size))

    def results(self):
        """All that is ready now, without waiting."""
        while True:
            try:
                yield self._results.get_nowait()
            except queue.Empty:
                return

    def close(self, timeout=5.0):
        logger.debug("closing the pool, timeout %s", timeout)
        for _ in self.workers:
            self._tasks.put(None)
        for worker in self.workers:
            worker.join(timeout)
        return all(not worker.is_alive() for worker in self.workers)


def resize_all(paths, size, resize, count=4):
    """Resize every picture; return results by path and the errors by path."""
    pool = Pool(resize, count)
    pool.start()
    for path in paths:
        pool.submit(path, size)
    pool.close(timeout=None)
    pictures, errors = {}, {}
    for path, picture, error in pool.results():
        if error is None:
            pictures[path] = picture
        else:
            errors[path] = error
    return pictures, errors
