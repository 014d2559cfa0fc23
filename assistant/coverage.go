package assistant

import (
	"fmt"
	"sync"
)

// coverage counts, per source, the parts that all passes of the job have read. It
// is safe for concurrent use.
type coverage struct {
	mu      sync.Mutex
	sources []partCount
	emit    func(Event)
}

type partCount struct {
	first   int      // index of the source's first part among all parts
	pending []int    // passes still to come, per part
	trouble []string // code of what went wrong, per part
}

// expect announces a pass over a part; parts count over all sources.
func (c *coverage) expect(source, part int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.sources[source]
	s.pending[part-s.first]++
}

// done reports the end of an announced pass; trouble is a code or "".
func (c *coverage) done(source, part int, trouble string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.sources[source]
	part -= s.first
	s.pending[part]--
	if trouble != "" && s.trouble[part] == "" {
		s.trouble[part] = trouble
	}
	if s.pending[part] == 0 && s.trouble[part] == "" {
		read, _ := s.read("")
		c.emit(Covered{source, read, len(s.pending)})
	}
}

// result returns how many parts of a source were read, of how many, and what was
// left out; parts that passes never reached get the code unread.
func (c *coverage) result(source int, unread string) (read, total int, leftOut []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.sources[source]
	read, leftOut = s.read(unread)
	return read, len(s.pending), leftOut
}

func (s *partCount) read(unread string) (read int, leftOut []string) {
	leftOut = []string{}
	for i := range s.pending {
		code := s.trouble[i]
		if code == "" && s.pending[i] > 0 {
			code = unread
		}
		if code == "" && s.pending[i] == 0 {
			read++
		} else if code != "" {
			leftOut = append(leftOut, fmt.Sprintf("%d/%d %s", i+1, len(s.pending), code))
		}
	}
	return read, leftOut
}
