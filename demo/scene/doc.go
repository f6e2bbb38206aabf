// Package scene draws the island: the contents of a session's world, at the values that
// tendon.View gives for this frame.
//
// Where to look:
//
//	scene.go    a pane's frame, layer by layer
//	nodes.go    which sprite a node is, and where
//	camera.go   units to pixels
//	ground.go   land and water, baked in pieces
//	sprites.go  the embedded pictures as images, and the fonts
//	hud.go      what lies over the picture: points, ammunition, time
//	overlay.go  the circles of the enter and the exit radius, the map
//	ghosts.go   where the authority, a proxy and the prediction have each body
//	mapscreen.go  the map with the player's team, and the loading bar
//	keyboard.go keys and mouse as an island.Input
//	sound.go    sounds made by code, where there is a sound card
//	account.go  what was drawn where, for a screenshot
package scene
