package widgets_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"

	"windowseat/ui/widgets"
)

// TestLayout compares the layout of the containers with masters, in a wide and in a
// narrow window. Only Latin text is used: Chinese would be measured with whatever font
// the system has.
func TestLayout(t *testing.T) {
	test.NewTempApp(t)
	card := widgets.NewCard(6,
		widgets.NewText("Send the budget to finance", widgets.Strong),
		widgets.NewChips(widgets.NewChip("Owner: Maria", theme.ColorNamePrimary),
			widgets.NewChip("Due: 2026-03-25", theme.ColorNamePrimary), widgets.NewChip("Checked", theme.ColorNameSuccess)),
		widgets.NewQuote(theme.ColorNameInputBorder,
			widgets.NewText("Maria, could you send the budget to finance by next Wednesday?", widgets.Caption),
			widgets.NewLink("meeting.txt, line 3", nil)))
	row := widgets.NewRow(widgets.NewChip("1", theme.ColorNameError), widgets.NewText("A row with a lead and a trail", widgets.Body), widgets.NewChip("2", theme.ColorNameWarning))
	meter := widgets.NewMeter()
	meter.SetValue(0.25)
	dock := widgets.NewDock(nil, widgets.NewPage(widgets.NewColumn(8, card, row)), meter, 12)
	w := test.NewTempWindow(t, dock)
	w.SetPadded(false)
	for name, size := range map[string]fyne.Size{"wide": fyne.NewSize(480, 260), "narrow": fyne.NewSize(200, 320)} {
		w.Resize(size)
		test.AssertRendersToMarkup(t, "layout_"+name+".xml", w.Canvas())
	}
}
