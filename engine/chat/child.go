package chat

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/ardanlabs/jinja"
)

// RunChild does the work of a template process if the program was started as
// one, and reports whether it was. main, and TestMain in packages that use
// unknown templates, must call it first and return if it reports true.
func RunChild() bool {
	if len(os.Args) != 2 || os.Args[1] != childArg {
		return false
	}
	debug.SetMaxStack(maxStack)
	limitProcess()
	go watchMemory()
	raw, err := io.ReadAll(io.LimitReader(os.Stdin, 16<<20))
	var req request
	if err == nil {
		err = json.Unmarshal(raw, &req)
	}
	if err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(response{Error: err.Error()})
		return true
	}
	_ = json.NewEncoder(os.Stdout).Encode(renderAll(req))
	return true
}

// watchMemory ends the process when its memory exceeds the limit. It is the
// only guard where the system has no limit on the address space. The process
// does nothing but render, so there is nothing to tidy up.
func watchMemory() {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}}
	metrics.Read(sample)
	start := sample[0].Value.Uint64()
	for {
		time.Sleep(2 * time.Millisecond)
		metrics.Read(sample)
		if sample[0].Value.Uint64() > start+maxMemory {
			os.Exit(exitTooMuch)
		}
	}
}

// renderAll compiles the template and renders every conversation.
func renderAll(req request) (res response) {
	defer func() {
		if e := recover(); e != nil {
			res = response{Error: fmt.Sprint("template engine: ", e)}
		}
	}()
	tmpl, err := jinja.Compile(req.Source)
	if err != nil {
		return response{Error: err.Error()}
	}
	total := 0
	for _, c := range req.Jobs {
		text, err := render(tmpl, req, c)
		if total += len(text); total > maxOutput/2 { // JSON escapes grow it
			return response{TooLong: true}
		}
		r := result{Text: text}
		if err != nil {
			r = result{Error: short(err.Error())}
		}
		res.Results = append(res.Results, r)
	}
	return res
}

// render renders one conversation with the variables that Hugging Face's
// apply_chat_template gives to templates.
func render(tmpl *jinja.Template, req request, c conversation) (text string, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("template engine: %v", e)
		}
	}()
	msgs := make([]jinja.Value, len(c.Turns))
	for i, t := range c.Turns {
		msgs[i] = jinja.NewDict()
		msgs[i].AsDict().Set("role", jinja.NewString(t.Role))
		msgs[i].AsDict().Set("content", jinja.NewString(t.Content))
	}
	return tmpl.RenderValues(map[string]jinja.Value{
		"messages":              jinja.NewList(msgs),
		"add_generation_prompt": jinja.NewBool(c.Gen),
		"bos_token":             jinja.NewString(req.BOS),
		"eos_token":             jinja.NewString(req.EOS),
		"tools":                 jinja.None(),
		"documents":             jinja.None(),
		// A prompt must not change with the clock: a kept prefix would be lost.
		"strftime_now": jinja.Undefined(),
	})
}
