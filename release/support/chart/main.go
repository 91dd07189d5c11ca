// Renders a Helm chart with the template engine and the functions that Helm uses: text/template and sprig.
// Usage: render <chart folder> <release name> <values file>...
// Prints {"texts": {path: text}, "objects": {path: [object, ...]}, "values": {...}} as JSON.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type object = map[string]interface{}

type files struct{ folder string }

func (f files) Get(name string) string {
	text, err := os.ReadFile(filepath.Join(f.folder, name))
	check(err)
	return string(text)
}

func main() {
	chart, release := os.Args[1], os.Args[2]
	values := readYaml(filepath.Join(chart, "values.yaml"))
	for _, path := range os.Args[3:] {
		values = merge(values, readYaml(path))
	}
	meta := readYaml(filepath.Join(chart, "Chart.yaml"))
	context := object{
		"Values":  values,
		"Chart":   object{"Name": meta["name"], "Version": meta["version"], "AppVersion": meta["appVersion"]},
		"Release": object{"Name": release, "Namespace": "flags", "Service": "Helm", "IsInstall": true, "IsUpgrade": false, "Revision": 1},
		"Files":   files{chart},
	}
	paths, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(functions(all))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		check(err)
		_, err = all.New(filepath.Base(path)).Parse(string(text))
		check(err)
	}
	texts, objects := map[string]string{}, map[string][]object{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var out bytes.Buffer
		check(all.ExecuteTemplate(&out, name, context))
		// As Helm does for a value that is not there.
		text := strings.ReplaceAll(out.String(), "<no value>", "")
		if strings.TrimSpace(text) == "" {
			continue
		}
		texts[name] = text
		if !strings.HasSuffix(name, ".yaml") {
			continue
		}
		for _, document := range strings.Split("\n"+text, "\n---") {
			parsed := object{}
			check(yaml.UnmarshalStrict([]byte(document), &parsed))
			if len(parsed) > 0 {
				objects[name] = append(objects[name], parsed)
			}
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(object{"texts": texts, "objects": objects, "values": values}))
}

// The functions that Helm adds to sprig, and those that Helm takes away.
func functions(all *template.Template) template.FuncMap {
	added := sprig.TxtFuncMap()
	delete(added, "env")
	delete(added, "expandenv")
	added["include"] = func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := all.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	added["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return nil, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	added["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		check(err)
		return strings.TrimSuffix(string(text), "\n")
	}
	added["fromYaml"] = func(text string) object {
		parsed := object{}
		check(yaml.Unmarshal([]byte(text), &parsed))
		return parsed
	}
	return added
}

// Maps are merged, and everything else is replaced. A null removes a value.
func merge(base, over object) object {
	for key, value := range over {
		inner, isMap := value.(object)
		old, wasMap := base[key].(object)
		if value == nil {
			delete(base, key)
		} else if isMap && wasMap {
			base[key] = merge(old, inner)
		} else {
			base[key] = value
		}
	}
	return base
}

func readYaml(path string) object {
	text, err := os.ReadFile(path)
	check(err)
	parsed := object{}
	check(yaml.UnmarshalStrict(text, &parsed))
	return parsed
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
