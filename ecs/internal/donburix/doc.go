// Package donburix does with donburi what the library needs, and alone knows the traps of
// donburi v1.15 (apart from components.NodeType, which makes a component type):
//
//   - World.Create panics, later, in an archetype whose first entity came by
//     AddComponent or RemoveComponent: the storage counts from the wrong number.
//     So a set of components is primed (Create, Remove) before any move into it,
//     and Room mends the count of the sets that a game's own moves have made.
//   - An entity's slot is reused at once, and World.Entry(stale) writes through
//     to the new tenant. So entities are kept, never entries, and every entity
//     is compared with its version before its entry is taken.
//   - World.Valid indexes by the slot and panics for an entity of a larger world.
//   - Get's pointers survive moves, but Set(entry, &v) replaces them. So no pointer
//     to a component is kept from one tick to the next.
//   - There is no hook for AddComponent and RemoveComponent. So the entity list of
//     each archetype is compared with a copy of it.
//   - A query inside OnCreate deadlocks. And donburi's queries (Iter and Each of a
//     component type, too) keep maps that all worlds share, with an entry for each
//     world for ever. So archetypes are walked here, never queried.
//   - A component's storage has a list for each archetype, 256 at first, and doubles
//     them only once when it needs more: World.Create and AddComponent panic for a
//     component that is first used in archetype 512 or later. So the lists are
//     lengthened before that: by Create for the library's own entities, by Room
//     for those that the game makes.
//
// Where they stand: move.go changes the components of an entity; room.go lengthens lists and counts;
// columns.go finds components by row; walk.go walks over entities; attach.go attaches a value
// to a world; transform.go knows where a transform says that it hangs below another. Nothing here keeps state of its own but Room.
package donburix
