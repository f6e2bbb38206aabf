module github.com/tendonengine/tendon

go 1.25.0

require (
	github.com/ebitengine/oto/v3 v3.4.0
	github.com/go-text/typesetting v0.3.0
	github.com/hajimehoshi/ebiten/v2 v2.9.8
	github.com/jezek/xgb v1.1.1
	github.com/rivo/uniseg v0.4.7
	github.com/xtaci/kcp-go/v5 v5.6.72
	golang.org/x/image v0.31.0
	golang.org/x/text v0.31.0
)

require (
	github.com/ebitengine/gomobile v0.0.0-20250923094054-ea854a63cce1 // indirect
	github.com/ebitengine/hideconsole v1.0.0 // indirect
	github.com/ebitengine/purego v0.9.0 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/klauspost/cpuid/v2 v2.2.6 // indirect
	github.com/klauspost/reedsolomon v1.12.0 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/quasilyte/gmath v0.0.0-20250817142619-e0a8c6ee09b3 // indirect
	github.com/tjfoc/gmsm v1.4.1 // indirect
	github.com/yohamta/donburi v1.15.4 // indirect
	golang.org/x/crypto v0.45.0 // indirect
	golang.org/x/net v0.47.0 // indirect
	golang.org/x/sync v0.18.0 // indirect
	golang.org/x/sys v0.38.0 // indirect
	golang.org/x/time v0.14.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
