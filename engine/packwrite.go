package engine

import (
	"context"
	"errors"
	"io/fs"

	"windowseat/engine/kernels"
	"windowseat/engine/pack"
	"windowseat/engine/tokenizer"
)

// packSections lists what goes into a pack, the tokenizer's tables first. The
// embedding is not among it: a row of it is read per token, from the model file,
// and where it is the output matrix as well that is packed as such.
func packSections(tasks []packTask, tok *tokenizer.Tokenizer) (sections []pack.Section, flat []byte) {
	flat = tok.AppendFlat(nil)
	sections = append(sections, pack.Section{Name: tokenizerSection, Bytes: int64(len(flat))})
	for _, t := range tasks {
		sections = append(sections, pack.Section{
			Name: t.name, Kind: uint32(t.m.Type), Rows: int64(t.m.Rows), Cols: int64(t.m.Cols), Bytes: t.m.Bytes(),
		})
	}
	return sections, flat
}

// writePack packs matrix by matrix through one buffer into w, and commits. Nothing
// is left of w after an error.
func writePack(ctx context.Context, w *pack.Writer, tasks []packTask, flat []byte, p *pool, progress func(done, total int64)) error {
	_, err := w.Write(flat)
	var done, total int64
	for _, t := range tasks {
		total += int64(len(t.src))
	}
	buf := kernels.AlignedBytes(chunkBytes)
	for _, t := range tasks {
		if err == nil {
			err = writeMatrix(ctx, w, t, &buf, p, func(n int64) { progress(done+n, total) })
			t.release(t.src)
		}
		done += int64(len(t.src))
	}
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Commit()
}

// writeMatrix packs one matrix in runs of whole tiles that fit into buf, which
// grows for a matrix whose single tile does not. progress is told the bytes read.
func writeMatrix(ctx context.Context, w *pack.Writer, t packTask, buf *[]byte, p *pool, progress func(n int64)) error {
	tile, err := kernels.PackSize(t.m.Type, kernels.RowTile, t.m.Cols)
	if err != nil {
		return err
	}
	if int64(len(*buf)) < tile {
		*buf = kernels.AlignedBytes(int(tile))
	}
	step := len(*buf) / int(tile) * kernels.RowTile
	rowBytes := int(t.m.Type.RowBytes(t.m.Cols))
	for r := 0; r < t.m.Rows; r += step {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(step, t.m.Rows-r)
		part, err := kernels.Describe(t.m.Type, n, t.m.Cols)
		if err != nil {
			return err
		}
		packed := (*buf)[:part.Bytes()]
		clear(packed[max(0, len(packed)-int(tile)):]) // rows beyond the last are zero
		if err := part.Bind(packed); err != nil {
			return err
		}
		packParallel(part, t.src[r*rowBytes:], p)
		if p.fault.Load() {
			return ErrModelFile
		}
		if _, err := w.Write(packed); err != nil {
			return err
		}
		progress(int64((r + n) * rowBytes))
	}
	return nil
}

// packParallel packs all rows of m on the workers.
func packParallel(m *kernels.Matrix, src []byte, p *pool) {
	p.run((m.Rows+packRows-1)/packRows, func(piece, _ int) {
		r0 := piece * packRows
		m.PackRows(src, r0, min(r0+packRows, m.Rows))
	})
}

// packState sorts the errors of writing a pack.
func packState(err error) string {
	var full *pack.SpaceError
	switch {
	case errors.As(err, &full) || isDiskFull(err):
		return PackDiskFull
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, errReadOnly):
		return PackNoFolder
	}
	return PackFailed
}
