// Package engine runs a language model from a GGUF file inside the program: it
// loads and packs the weights, keeps the KV cache in shared pages, schedules many
// requests over one model, and samples, optionally under a JSON Schema.
//
// The one primitive inside is a forward pass over a ragged batch of rows
// (sequence, position, token, logits wanted?): prefill pieces and decodes mixed.
// Every public call is made of it.
//
//	Open     a model file                        → Engine
//	Submit   prompt segments, schema, sampler    → Stream of text
//	Score    log-probabilities of continuations
//	LogProbs log-probability of every token of a text
//
// Open keeps the packed weights and the tokenizer's tables in a file beside the model
// (package pack) and maps it the next time. The embedding, the norms and the biases are
// read from the GGUF.
//
// # Dimensions
//
// Short names used in this package's shape comments:
//
//	T  rows in a batch            H  hidden size
//	D  head dim                   F  FFN size
//	V  vocab size                 A  numHeads, G = numKVHeads
//
// # Numerics
//
// Results do not depend on what else is in the batch, on how a prompt was cut into
// pieces, on prefix reuse, or on the number of threads: see package kernels.
//
// # Ownership and concurrency
//
// An Engine is safe for concurrent use. One goroutine, the scheduler, owns the
// pages, the prefix tree and all sequences; public calls hand it requests and
// read results back. The engine logs nothing and keeps no document text after a
// request except as KV pages, which Close and ForgetPrefixes drop.
package engine
