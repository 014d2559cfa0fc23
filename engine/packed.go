package engine

import (
	"context"
	"errors"

	"windowseat/engine/gguf"
	"windowseat/engine/kernels"
	"windowseat/engine/pack"
	"windowseat/engine/tokenizer"
)

// NoPack as Options.PackDir keeps no weight pack.
const NoPack = "-"

// States of a weight pack, for Info.Pack.
const (
	PackMapped   = "mapped"    // a pack made earlier is mapped
	PackWritten  = "written"   // there was none that fits; it was made now and is mapped
	PackOff      = "off"       // NoPack was asked for
	PackDiskFull = "disk_full" // none, as the disk has no room: the weights are in memory
	PackNoFolder = "no_folder" // none, as no folder for it can be written: the same
	PackFailed   = "failed"    // none, as writing or mapping it failed otherwise: the same
)

// PackInfo says how the weights were made ready.
type PackInfo struct {
	State  string // PackMapped and so on
	Path   string // of the mapped pack
	Bytes  int64  // of the mapped pack
	Reason string // why an older pack was not used or a new one not made, for people; "" if nothing was wrong
}

// tokenizerSection is the name of the section with the tokenizer's tables. Tensor
// names are shorter than 64 bytes and never begin like this one.
const tokenizerSection = "windowseat.tokenizer"

// chunkBytes bounds the memory that packing into a file takes beyond the model
// file's own pages.
const chunkBytes = 8 << 20

// packLayout is the version of everything in a pack that this program makes.
const packLayout = kernels.LayoutVersion | tokenizer.FlatVersion<<16

// packStore is the weight pack of one model: the mapped file, if there is a sound
// one, and where to make it otherwise.
type packStore struct {
	src    pack.Source
	places []string
	file   *pack.File
	guard  *kernels.Guard
	info   PackInfo

	unmapped error // why weights that cannot be mapped are refused; nil: they are packed into memory
}

// openPack looks for a pack of the model file. It never fails: without one that
// can be used the weights are packed again.
func openPack(f *gguf.File, model string, o Options) *packStore {
	if o.PackDir == NoPack {
		return &packStore{info: PackInfo{State: PackOff}}
	}
	s := &packStore{}
	src, err := pack.SourceOf(f, model, packLayout)
	if err != nil {
		s.info = PackInfo{State: PackFailed, Reason: err.Error()}
		return s
	}
	s.src, s.places = src, pack.Places(model, o.PackDir)
	for _, path := range s.places {
		if s.use(path); s.file != nil {
			break
		}
	}
	return s
}

// use maps the pack at path, if it is sound.
func (s *packStore) use(path string) {
	file, err := pack.Open(path, s.src)
	if err != nil {
		if !pack.Missing(err) {
			s.info.Reason = err.Error()
		}
		return
	}
	guard, err := kernels.NewGuard(file.Mapping())
	if err != nil {
		s.info.Reason = errors.Join(err, file.Close()).Error()
		return
	}
	s.file, s.guard = file, guard
	s.info = PackInfo{State: PackMapped, Path: path, Bytes: file.Bytes}
}

// drop gives up a mapped pack that turned out to be unsound.
func (s *packStore) drop(reason error) {
	err := s.close()
	s.info = PackInfo{Reason: errors.Join(reason, err).Error()}
}

// close unmaps the pack. No matrix may be used afterwards.
func (s *packStore) close() error {
	if s == nil || s.file == nil {
		return nil
	}
	s.guard.Release()
	err := s.file.Close()
	s.file, s.guard = nil, nil
	return err
}

// lost reports whether the mapped pack was cut while it was in use.
func (s *packStore) lost() bool { return s != nil && s.guard.Lost() }

// tokenizer returns the model's tokenizer, from the pack's tables if they are sound.
func (s *packStore) tokenizer(f *gguf.File) (*tokenizer.Tokenizer, error) {
	if s.file == nil {
		return tokenizer.FromGGUF(f)
	}
	tok, err := s.storedTokenizer()
	if err == nil {
		return tok, nil
	}
	s.drop(err)
	return tokenizer.FromGGUF(f)
}

func (s *packStore) storedTokenizer() (*tokenizer.Tokenizer, error) {
	section, ok := s.file.Section(tokenizerSection)
	if !ok {
		return nil, errors.New("engine: the weight pack has no tokenizer")
	}
	// A copy, not the mapping: it is read outside the workers, where a page that
	// vanished would end the process.
	b, err := s.file.Read(section)
	if err != nil {
		return nil, err
	}
	return tokenizer.FromFlat(b)
}

// ready gives all matrices their weights: from the mapped pack, else from a pack
// that it makes now, else packed into memory. It returns ctx.Err() when cancelled
// and ErrModelFile when the model file vanished.
func (s *packStore) ready(ctx context.Context, tasks []packTask, tok *tokenizer.Tokenizer, p *pool, progress func(done, total int64)) error {
	if s.file != nil {
		err := s.bind(tasks)
		if err == nil {
			return nil
		}
		s.drop(err)
	}
	if len(s.places) > 0 {
		done, err := s.make(ctx, tasks, tok, p, progress)
		if done || err != nil {
			return err
		}
	}
	if s.unmapped != nil {
		return s.unmapped
	}
	for _, t := range tasks {
		t.m.Allocate()
	}
	return packAll(ctx, tasks, p, progress)
}

// bind lets the matrices use the mapped sections. Shapes are the model file's; the
// pack has to agree.
func (s *packStore) bind(tasks []packTask) error {
	for _, t := range tasks {
		section, ok := s.file.Section(t.name)
		if !ok || section.Kind != uint32(t.m.Type) || section.Rows != int64(t.m.Rows) || section.Cols != int64(t.m.Cols) ||
			section.Bytes != t.m.Bytes() {
			return errors.New("engine: the weight pack does not hold " + t.name + " as the model file has it")
		}
		if err := t.m.Bind(s.file.Data(section)); err != nil {
			return err
		}
	}
	return nil
}

// make writes the pack into the first place that takes it and maps it. It reports
// whether the matrices are bound. An error ends the opening; a pack that cannot be
// made does not, info says why.
func (s *packStore) make(ctx context.Context, tasks []packTask, tok *tokenizer.Tokenizer, p *pool, progress func(done, total int64)) (bool, error) {
	sections, flat := packSections(tasks, tok)
	why := s.info.Reason
	for _, path := range s.places {
		w, err := pack.Create(path, s.src, sections)
		if err == nil {
			err = writePack(ctx, w, tasks, flat, p, progress)
		}
		if err == nil {
			err = s.check(ctx, path, tasks)
		} else if s.rival(path, tasks) {
			return true, nil
		}
		if err == nil {
			s.info.State, s.info.Reason = PackWritten, why
			return true, nil
		}
		if ctx.Err() != nil || errors.Is(err, ErrModelFile) {
			return false, err
		}
		s.info = PackInfo{State: packState(err), Reason: err.Error()}
	}
	return false, nil
}

// rival maps a pack that another process made meanwhile: on Windows a mapped file
// cannot be replaced, so that the second one to finish fails.
func (s *packStore) rival(path string, tasks []packTask) bool {
	if s.use(path); s.file == nil {
		return false
	}
	if err := s.bind(tasks); err != nil {
		s.drop(err)
		return false
	}
	return true
}

// check maps the new pack at path and reads it once, since what was written is not
// always what can be read.
func (s *packStore) check(ctx context.Context, path string, tasks []packTask) error {
	if s.use(path); s.file == nil {
		return errors.New("engine: the new weight pack cannot be used: " + s.info.Reason)
	}
	err := s.file.Verify(ctx, nil)
	if err == nil {
		err = s.bind(tasks)
	}
	if err != nil {
		s.drop(err)
	}
	return err
}
