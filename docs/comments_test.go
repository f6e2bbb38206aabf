package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Comments name what there is. Names change faster than what is said of them, and a reader who looks for
// one that is gone has lost the thread: so what a function's or a type's comment says names it, what a
// comment calls by a name of code (aName, Type.name) is declared somewhere in the module, and a file that it
// names is there. The suite that every transport runs is tests: their comments say what must hold.
func TestCommentsNameWhatThereIs(t *testing.T) {
	d := declared{words: map[string]bool{}, members: map[string]map[string]bool{}}
	files, names := map[string]*ast.File{}, map[string]bool{}
	set := token.NewFileSet()
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		d.note(f)
		names[e.Name()] = true
		if !strings.HasSuffix(path, "_test.go") && !strings.Contains(filepath.ToSlash(path), "/linktest/") {
			files[path] = f
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for _, decl := range f.Decls {
			if types, ok := decl.(*ast.GenDecl); ok && types.Tok == token.TYPE {
				for _, of := range unnamed(types) {
					t.Errorf("%v: the comment of %s does not name it", set.Position(of.Pos()), of.Name)
				}
			}
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Doc != nil && !strings.Contains(fn.Doc.Text(), fn.Name.Name) {
				t.Errorf("%v: the comment of %s does not name it", set.Position(fn.Pos()), fn.Name.Name)
			}
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				for _, name := range goFile.FindAllString(c.Text, -1) {
					if !names[name] {
						t.Errorf("%v: a comment names %s, a file that is not there", set.Position(c.Pos()), name)
					}
				}
				for _, name := range d.unknown(c.Text) {
					t.Errorf("%v: a comment names %s, which is declared nowhere", set.Position(c.Pos()), name)
				}
			}
		}
	}
}

// unnamed returns the types of a declaration whose comments do not name them, be it as words: a neighbour list.
func unnamed(types *ast.GenDecl) (of []*ast.TypeSpec) {
	for _, spec := range types.Specs {
		spec := spec.(*ast.TypeSpec)
		doc := spec.Doc
		if doc == nil && !types.Lparen.IsValid() {
			doc = types.Doc
		}
		said := strings.ToLower(strings.Join(strings.Fields(doc.Text()), ""))
		if doc != nil && !strings.Contains(said, strings.ToLower(spec.Name.Name)) {
			of = append(of, spec)
		}
	}
	return of
}

// declared is what the code of the module names.
type declared struct {
	words   map[string]bool            // identifiers, and words in strings
	members map[string]map[string]bool // fields and methods, by type
}

var (
	goFile    = regexp.MustCompile(`\b\w+\.go\b`)
	word      = regexp.MustCompile(`\w+`)
	camelCase = regexp.MustCompile(`(?:\b[A-Z]\w+\.)?\b[a-z]+[A-Z]\w*\b|\b[A-Z]\w+\.[a-z]\w+\b`)
)

// foreign are names of other systems, and words that only look like code.
var foreign = map[string]bool{"libX11": true, "libGL": true, "macOS": true, "iOS": true}

func (d *declared) member(of, name string) {
	if d.members[of] == nil {
		d.members[of] = map[string]bool{}
	}
	d.members[of][name] = true
}

func (d *declared) note(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			d.words[n.Name] = true
		case *ast.BasicLit:
			for _, w := range word.FindAllString(n.Value, -1) {
				d.words[w] = true
			}
		case *ast.TypeSpec:
			var fields *ast.FieldList
			switch of := n.Type.(type) {
			case *ast.StructType:
				fields = of.Fields
			case *ast.InterfaceType:
				fields = of.Methods
			default:
				return true
			}
			for _, field := range fields.List {
				for _, name := range field.Names {
					d.member(n.Name.Name, name.Name)
				}
			}
		case *ast.FuncDecl:
			if n.Recv != nil && len(n.Recv.List) == 1 {
				d.member(receiver(n.Recv.List[0].Type), n.Name.Name)
			}
		}
		return true
	})
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// unknown returns the names of code in a comment that nothing declares.
func (d *declared) unknown(comment string) (names []string) {
	if strings.HasPrefix(comment, "//\t") { // an example
		return nil
	}
	for _, name := range camelCase.FindAllString(comment, -1) {
		of, member, isMember := strings.Cut(name, ".")
		switch {
		case foreign[name]:
		case isMember && d.members[of] == nil: // the end of a sentence, a file's name, a type of another module
		case isMember && !d.members[of][member]:
			names = append(names, name)
		case !isMember && !d.words[name]:
			names = append(names, name)
		}
	}
	return names
}
