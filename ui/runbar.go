package ui

import (
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"windowseat/ui/widgets"
)

// runBar starts and stops the job and says how far it is.
type runBar struct {
	words  *words
	column *widgets.Column
	status *widgets.Text
	bar    *widgets.Meter
	start  *widget.Button
	stop   *widget.Button
}

func newRunBar(w *words, onStart, onStop func()) *runBar {
	b := &runBar{words: w, status: widgets.NewText("", widgets.Caption), bar: widgets.NewMeter()}
	b.start = widget.NewButtonWithIcon(w.t("run.start"), theme.MediaPlayIcon(), onStart)
	b.start.Importance = widget.HighImportance
	b.stop = widget.NewButtonWithIcon(w.t("run.stop"), theme.MediaStopIcon(), onStop)
	b.column = widgets.NewColumn(6, b.status, b.bar, b.start, b.stop)
	return b
}

// readiness is what keeps a job from starting: a key of the words, or "".
func readiness(files *fileSet, c *choices, m *modelSet) string {
	ready, reading := files.ready()
	_, haveModel := m.current(c.model)
	switch {
	case reading:
		return "run.reading"
	case len(ready) == 0:
		return "run.no_file"
	case len(c.tasks()) == 0:
		return "run.no_task"
	case !c.dateValid():
		return "setup.date_wrong"
	case !m.listed:
		return "model.looking"
	case !haveModel:
		return "run.no_model"
	}
	return ""
}

// show brings the bar up to date; obstacle is what readiness returned,
// and model the title of the model that a job would use.
func (b *runBar) show(j *job, obstacle, model string) {
	running := j.phase != phaseIdle
	setShown(b.bar, running)
	setShown(b.stop, running)
	setShown(b.start, !running)
	switch {
	case j.phase == phaseRunning:
		b.stop.Enable()
		b.status.SetText(b.progress(j))
	case j.phase == phaseStopping:
		b.stop.Disable()
		b.status.SetText(b.words.t("run.stopping"))
	default:
		b.idle(j, obstacle, model)
	}
	b.column.Refresh()
}

func (b *runBar) idle(j *job, obstacle, model string) {
	if obstacle == "" {
		b.start.Enable()
	} else {
		b.start.Disable()
	}
	switch {
	case obstacle != "":
		b.status.SetText(b.words.t(obstacle))
	case j.last == nil:
		b.status.SetText(b.words.t("run.ready", "model", model))
	case j.last.stopped:
		b.status.SetText(b.words.t("job.stopped"))
	case j.last.err != nil:
		b.status.SetText(b.words.t("job.failed_title"))
	default:
		b.status.SetText(b.words.t("run.done", "time", clockTime(j.last.elapsed)))
	}
}

// progress is counted in passes, never guessed from time.
func (b *runBar) progress(j *job) string {
	w, e, time := b.words, j.progress, clockTime(j.elapsed())
	switch {
	case e.Kind == EventLoading && e.Total > 0:
		b.bar.SetValue(float64(e.Done) / float64(e.Total))
		return w.t("run.loading", "done", size(e.Done), "total", size(e.Total), "time", time)
	case e.Kind == EventProgress && e.Passes > 0:
		b.bar.SetValue(float64(e.Pass) / float64(e.Passes))
		if e.Parts > 1 && e.Part > 0 {
			return w.t("run.part", "part", e.Part, "parts", e.Parts, "pass", e.Pass, "passes", e.Passes, "time", time)
		}
		return w.t("run.pass", "pass", e.Pass, "passes", e.Passes, "time", time)
	}
	b.bar.SetValue(0)
	return w.t("run.starting", "time", time)
}
