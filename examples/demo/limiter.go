// Package limiter decides how often something may happen.
package limiter

import (
	"errors"
	"time"
)

// ErrRate is returned for a rate that is not positive.
var ErrRate = errors.New("limiter: rate must be positive")

// Limiter is a token bucket: it fills at a fixed rate up to a limit.
type Limiter struct {
	rate   float64 // tokens a second
	burst  float64 // most tokens at once
	tokens float64
	last   time.Time
	now    func() time.Time
}

// New returns a full bucket.
func New(rate, burst float64) (*Limiter, error) {
	if rate <= 0 {
		return nil, ErrRate
	}
	return &Limiter{rate: rate, burst: burst, tokens: burst, last: time.Now(), now: time.Now}, nil
}

func (l *Limiter) fill() {
	now := l.now()
	l.tokens += now.Sub(l.last).Seconds() * l.rate
	if l.tokens > l.burst {
		l.tokens = l.burst
	}
	l.last = now
}

// Allow takes one token if there is one.
func (l *Limiter) Allow() bool {
	return l.AllowN(1)
}

// AllowN takes n tokens at once, or none.
func (l *Limiter) AllowN(n float64) bool {
	l.fill()
	if l.tokens < n {
		return false
	}
	l.tokens -= n
	return true
}

// Wait tells how long it takes until n tokens are there.
func (l *Limiter) Wait(n float64) time.Duration {
	l.fill()
	missing := n - l.tokens
	if missing <= 0 {
		return 0
	}
	return time.Duration(missing / l.rate * float64(time.Second))
}

// SetRate changes the rate from now on.
func (l *Limiter) SetRate(rate float64) error {
	if rate <= 0 {
		return ErrRate
	}
	l.fill()
	l.rate = rate
	return nil
}
