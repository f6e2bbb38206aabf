package schema

// Tags are `rpl:"…"` tags for the fields of a type that cannot be edited:
// {"LocalPosition": "step=1/8,interp"}.
type Tags map[string]string
