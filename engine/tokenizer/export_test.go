package tokenizer

import "slices"

// EndSpellings returns the spellings that end a turn, for TestFlatVersion.
func EndSpellings() []string { return slices.Clone(endSpellings) }
