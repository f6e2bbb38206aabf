package donburix

import "reflect"

// HangsAt returns where in a component of this type stands whether its entity hangs below another: in that
// of donburi's features/transform, a bool that nobody else sees. Below which it hangs stands in a component
// of features/hierarchy, and one without the other makes WorldPosition wrong, or panic.
func HangsAt(component reflect.Type) (at uintptr, ok bool) {
	if component.PkgPath() != "github.com/yohamta/donburi/features/transform" {
		return 0, false
	}
	f, ok := component.FieldByName("hasParent")
	return f.Offset, ok && f.Type.Kind() == reflect.Bool
}
