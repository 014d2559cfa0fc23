package machine

// Feature is an extension of the instruction set that matters here.
type Feature struct {
	Name string `json:"name"`
	Has  bool   `json:"has"`  // the processor announces it and the system lets programs use it
	Used bool   `json:"used"` // a kernel of the engine needs it
}
