package recording

// lockState is what a try for a recording's lock found.
type lockState uint8

const (
	lockFree    lockState = iota // nobody records there
	lockTaken                    // somebody does
	lockUnknown                  // this system can't say
)
