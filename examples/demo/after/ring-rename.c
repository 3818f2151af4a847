/* A ring buffer of bytes: one writer, one reader, no allocation. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RING_SIZE 256u /* a power of two */
#define RING_MASK (RING_SIZE - 1u)

struct ring {
    uint8_t bytes[RING_SIZE];
    size_t head; /* next byte to write */
    size_t tail; /* next byte to read */
};

void ring_reset(struct ring *ring)
{
    memset(ring, 0, sizeof *ring);
}

size_t ring_used(const struct ring *ring)
{
    return ring->head - ring->tail;
}

size_t ring_free(const struct ring *ring)
{
    return RING_SIZE - ring_used(ring);
}

bool ring_write(struct ring *ring, uint8_t byte)
{
    if (ring_free(ring) == 0) {
        return false;
    }
    ring->bytes[ring->head++ & RING_MASK] = byte;
    return true;
}

bool ring_read(struct ring *ring, uint8_t *byte)
{
    if (ring_used(ring) == 0) {
        return false;
    }
    *byte = ring->bytes[ring->tail++ & RING_MASK];
    return true;
}

/* Write as much as there is room for; return how much it was. */
size_t ring_write_all(struct ring *ring, const uint8_t *data, size_t count)
{
    size_t written = 0;
    while (written < count && ring_write(ring, data[written])) {
        written++;
    }
    return written;
}

/* Read up to a newline, which is dropped; false if there is none yet. */
bool ring_read_line(struct ring *ring, char *line, size_t size)
{
    size_t length = 0;
    for (size_t at = ring->tail; at != ring->head; at++) {
        if (ring->bytes[at & RING_MASK] == '\n') {
            uint8_t byte;
            while (ring_read(ring, &byte) && byte != '\n') {
                if (length + 1 < size) {
                    line[length++] = (char)byte;
                }
            }
            line[length] = '\0';
            return true;
        }
    }
    return false;
}