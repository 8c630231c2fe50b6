package themes

import "fmt"

// Role is what a cell's ink stands for.
type Role uint8

// The roles. Their kind (text, mark, tint, ornament) says how much contrast
// with the background a theme owes them.
const (
	Text        Role = iota // words and numbers
	Background              // the canvas
	Dim                     // labels, axis numbers, ages
	Faint                   // borders, grid dots, base lines
	Title                   // panel titles
	Accent                  // the product's name, the focused panel
	Client                  // what the load generator says
	Server                  // what the server says: words
	ServerFill              // what the server says: areas
	ServerTint              // tint: the server's part under lines
	WaitingFill             // the server's queue on top of its running area
	Gap                     // tint: requests that are not at the server
	GapText                 // words on it, and about it
	Target                  // thresholds: what was configured or declared
	Good                    // all is well
	Warn                    // look here
	WarnFill                // bars that deserve a look
	Bad                     // lost, throttled, invalid
	BadTint                 // tint: a throttled span
	GPU                     // clocks
	Batch                   // batch size
	Queue                   // queue length
	Latency                 // latency histogram
	Cursor                  // tint: the moment looked at
	Bar                     // tint: header, footer and selected lines
	Badge                   // tint: paused, replay
	BadgeText               // words on it
	Heat1                   // the heat scale, fewest first
	Heat2
	Heat3
	Heat4
	Heat5
	Heat6
	Heat7
	Heat8

	roleCount
)

// NumRoles is how many roles a theme sets.
const NumRoles = int(roleCount)

// HeatSteps is the length of the heat scale.
const HeatSteps = int(Heat8-Heat1) + 1

var roleNames = [roleCount]string{
	"text", "background", "dim", "faint", "title", "accent",
	"client", "server", "server_fill", "server_tint", "waiting_fill", "gap", "gap_text",
	"target", "good", "warn", "warn_fill", "bad", "bad_tint", "gpu", "batch", "queue", "latency",
	"cursor", "bar", "badge", "badge_text",
	"heat1", "heat2", "heat3", "heat4", "heat5", "heat6", "heat7", "heat8",
}

// String is the role's name in theme files and golden screens.
func (r Role) String() string {
	if r >= roleCount {
		return fmt.Sprintf("role(%d)", uint8(r))
	}
	return roleNames[r]
}

// Kind says what a role is drawn as.
type Kind uint8

// The kinds of roles.
const (
	KindText     Kind = iota // read as words: contrast 4.5 with the background
	KindMark                 // seen as a line or area: contrast 3
	KindTint                 // a background of cells
	KindOrnament             // carries no information by itself
)

// Kind is how the role is used.
func (r Role) Kind() Kind {
	switch r {
	case ServerFill, WaitingFill, WarnFill, Target, GPU, Batch, Queue, Latency:
		return KindMark
	case Background, ServerTint, Gap, BadTint, Cursor, Bar, Badge:
		return KindTint
	case Faint, Heat1, Heat2, Heat3, Heat4, Heat5, Heat6, Heat7, Heat8, BadgeText:
		return KindOrnament
	case Text, Dim, Title, Accent, Client, Server, GapText, Good, Warn, Bad:
		return KindText
	}
	return KindText
}

func roleByName(name string) (Role, bool) {
	for i, n := range roleNames {
		if n == name {
			return Role(i), true
		}
	}
	return 0, false
}
