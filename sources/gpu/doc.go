// Package gpu reads GPUs: clocks, why they were lowered and for how long,
// temperature, power, memory, activity.
//
// A Reader is one way to get readings (NVML, nvidia-smi); a Reading is what one
// GPU said at one instant, with a validity bit for each field; Apply, and only
// it, turns Readings into events, so that a live poll, a saved file and the
// simulator say the same things in the same way. A backend therefore knows no
// series, and the rest of the program knows no backend.
//
// It owns the goroutines that may hang inside the driver: a call into NVML can
// block for good and can't be cancelled, so each GPU is polled by a goroutine
// of its own (watchdog.go), never with a second call behind a stuck one. Read
// and Close return promptly whatever the driver does.
//
// It must not draw a zero for what was not measured, must not end the program
// when there is no GPU or no driver, and must not write anything to a GPU.
//
// Delivery promise: a poller's newest reading wins; a poll that was missed is
// a gap, and a GPU that stopped answering keeps its last values, marked stale.
// Lines of a saved file are all delivered; those that can't be read are
// counted and sampled.
package gpu
