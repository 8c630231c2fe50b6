// Package recording keeps a run on disk and plays it back: the file format,
// its Writer, its Reader, and Replay, which is a source like any other.
//
// A recording holds the parsed events and notes of a run in the order in which
// the engine took them, ticks included, so that it always gives the same
// snapshots. It never holds the lines they were parsed from. The package owns
// the format and the folder of kept runs; it must not judge what it stores.
//
// Delivery promise: what Write was given is stored without loss, or the
// recording itself says how much is missing and where. Write never waits for
// the disk. A slow disk costs blocks, a full disk ends the recording; neither
// costs the run. Above ThinAbove requests a second the client's single requests
// are kept as counts; totals, histograms and verdicts stay. After a kill everything up to the last whole block is
// readable, and a block is never older than a second while the disk keeps up.
//
// # Format, version 1
//
// All fixed-width numbers are little endian; checksums are CRC-32C.
//
//	file    = head block* [index trailer]
//	head    = magic[8] version:u16 0:u16 length:u32 json[length] crc:u32
//	block   = marker[4] kind:u8 codec:u8 0:u16 stored:u32 raw:u32
//	          first:i64 last:i64 count:u32 payloadCRC:u32 headCRC:u32
//	          payload[stored]
//	trailer = magic[8] offset:u64 crc:u32 end[4]
//
// The json of the head is a Header: series are stored by name there, and by
// their place in that list in the blocks. A block is a run of records (data),
// the account of blocks that were dropped (lost) or the list of blocks that
// closes a file (index), or the counts that stand for the client's requests of
// one second (thin; an older reader passes it by). Each block can be read
// without the others. See encoder.go for the records, thin.go for the counts.
//
// Every version ever released stays readable; testdata has a sample of each.
package recording
