// Package ecs replicates donburi components. Import it as tendon: `ecs` is what
// donburi's users call their variables.
package ecs
