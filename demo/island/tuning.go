package island

// Every number that one may want to turn. Lengths are in units (a walker is about 30
// long), times in steps of 1/Steps second unless stated otherwise, speeds in units per
// second.
const (
	Steps = 60 // fixed steps per second
	Sends = 30 // sends per second

	Size  = 4000.0 // side of the map, sea included
	Enter = 460.0  // a node streams in nearer than this …
	Exit  = 506.0  // … and out beyond this: 1.1 × Enter

	FullHealth = 100            // a walker's
	BlastSteps = Steps * 6 / 10 // duration of an explosion
	MaxText    = 80             // bytes of a line of chat

	walkSpeed    = 150.0
	walkerRadius = 13.0
	maxAmmo      = 40
	coinAmmo     = 6
	reload       = 12 // between two shots
	refill       = Steps * 2
	respawn      = Steps * 3

	bulletSpeed  = 620.0
	bulletLife   = Steps * 9 / 10
	bulletHurts  = 20
	muzzle       = 26.0 // how far in front of the walker's middle a bullet begins
	blastRadius  = 130.0
	blastHurts   = 60
	crateHealth  = 3 // hits
	carHealth    = 8 // hits
	carRadius    = 25.0
	carReach     = 62.0 // the distance from which a walker can get in
	carTop       = 430.0
	carReverse   = 140.0
	carPower     = 330.0 // units per second²
	carDrag      = 0.8   // share of the speed lost per second
	carTurn      = 2.6   // radians per second at full grip
	carRams      = 200.0 // the speed from which a car hurts
	ramHurts     = 45
	carReturns   = Steps * 10
	sheepSpeed   = 118.0
	sheepRadius  = 13.0
	sheepSees    = 105.0
	birdSpeed    = 138.0
	birdRadius   = 9.0
	birdSees     = 85.0
	pickUp       = 24.0
	doorReach    = 60.0
	gateOpens    = Steps * 10
	roundSeconds = 120
	pauseSeconds = 8
	coinPoints   = 1
	birdPoints   = 2
	sheepPoints  = 5
	downPoints   = 3
	bandageHeals = 45
	bandageOdds  = 0.2 // chance that a coin comes with a bandage
	maxItems     = 8   // kinds in a pack
	maxOfItem    = 99
	maxHeard     = 4 // lines
	heardFor     = Steps * 8
	nearestCrate = 46.0 // between two crates

	maxName       = 16 // bytes of a player's name
	colourChoice  = 8  // of players and cars
	sphereColours = 9
)

// How many of each thing a world begins with.
const (
	sheepCount  = 190
	birdCount   = 130
	crateCount  = 420
	carCount    = 18
	plazaCars   = 5 // of them parked round the plaza
	plazaCrates = 10
	plazaSheep  = 9
	plazaBirds  = 5
	treeCount   = 250
	rockCount   = 110
	sphereCount = 9
)
