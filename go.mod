module github.com/tendonengine/tendon

go 1.25.0

require (
	github.com/flynn/noise v1.1.0
	github.com/hajimehoshi/ebiten/v2 v2.10.0
	github.com/jezek/xgb v1.1.1
	github.com/quasilyte/gmath v0.0.0-20250817142619-e0a8c6ee09b3
	github.com/xtaci/kcp-go/v5 v5.6.72
	github.com/yohamta/donburi v1.15.4
	golang.org/x/crypto v0.45.0
	golang.org/x/image v0.45.0
	golang.org/x/sys v0.47.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/ebitengine/gomobile v0.0.0-20260820040257-d11f821a26a6 // indirect
	github.com/ebitengine/hideconsole v1.0.0 // indirect
	github.com/ebitengine/oto/v3 v3.5.0 // indirect
	github.com/ebitengine/purego v0.11.0 // indirect
	github.com/go-text/typesetting v0.3.5 // indirect
	github.com/jfreymuth/pulse v0.1.3 // indirect
	github.com/klauspost/cpuid/v2 v2.2.6 // indirect
	github.com/klauspost/reedsolomon v1.12.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/srwiley/rasterx v0.0.0-20220730225603-2ab79fcdd4ef // indirect
	github.com/tjfoc/gmsm v1.4.1 // indirect
	golang.org/x/net v0.47.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/text v0.41.0 // indirect
	golang.org/x/time v0.14.0 // indirect
)
