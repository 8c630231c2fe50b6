package ui

import (
	"benchtop/themes"
	"benchtop/ui/panel"
)

func footerKeys(v ViewState) []panel.Span {
	return []panel.Span{{"q", themes.Text, false}, {"quit", themes.Dim, false}}
}
