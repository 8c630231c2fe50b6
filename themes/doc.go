// Package themes says what each role on the screen looks like: in true colour,
// in 256 and in 16 colours, and, where there is no colour at all, by an
// attribute.
//
// It owns every colour of benchtop. Panels draw roles ("client", "warn",
// "axis"), never colours. A theme is one YAML file in this folder, embedded by
// glob; a user's folder of the same files is read by Folder. The package must
// not look at the terminal or the environment: which depth to use is told by
// whoever draws.
package themes
