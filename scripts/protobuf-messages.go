//go:build ignore

// Writes golden protobuf bodies, as Kubernetes' own Go types marshal them, with the JSON they stand for. From test/real/kube:
//
//	go run ../../../scripts/protobuf-messages.go > ../../../src/apiserver/protobuf/golden-messages.gen.json
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"
	"time"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	events "k8s.io/api/events/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type golden struct {
	name     string
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

// How an object is filled: every field, only pointers (to zero values), or nothing.
const (
	everything = "filled"
	zeroes     = "pointers to zero"
	nothing    = "empty"
)

type filler struct {
	mode    string
	counter int
	depth   map[reflect.Type]int
}

func (f *filler) next() int { f.counter++; return f.counter }

func (f *filler) fill(v reflect.Value) {
	if f.special(v) {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if f.depth[v.Type()] > 0 {
			return
		}
		f.depth[v.Type()]++
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
		f.depth[v.Type()]--
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			if v.Type().Field(i).Type != reflect.TypeOf(meta.TypeMeta{}) && v.Field(i).CanSet() {
				f.fill(v.Field(i))
			}
		}
	case reflect.Slice:
		f.fillSlice(v)
	case reflect.Map:
		f.fillMap(v)
	default:
		if f.mode == everything {
			f.fillScalar(v)
		}
	}
}

func (f *filler) fillScalar(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("text-%d é", f.next()))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32:
		v.SetInt(int64(f.next()) - 20)
	case reflect.Int64:
		v.SetInt(int64(f.next())*10_000_000_000 - 100_000_000_000)
	case reflect.Float64:
		v.SetFloat(float64(f.next()) + 0.25)
	default:
		panic(v.Type().String())
	}
}

func (f *filler) fillSlice(v reflect.Value) {
	if f.mode != everything || f.depth[v.Type()] > 0 {
		return
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		v.SetBytes([]byte{0xff, 0xfe, byte(f.next())})
		return
	}
	f.depth[v.Type()]++
	size := 2
	if v.Type().Elem().Kind() == reflect.Struct {
		size = 1
	}
	v.Set(reflect.MakeSlice(v.Type(), size, size))
	for i := 0; i < size; i++ {
		f.fill(v.Index(i))
	}
	f.depth[v.Type()]--
}

func (f *filler) fillMap(v reflect.Value) {
	if f.mode != everything || f.depth[v.Type()] > 0 {
		return
	}
	f.depth[v.Type()]++
	v.Set(reflect.MakeMap(v.Type()))
	for i := 0; i < 2; i++ {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		key.SetString(fmt.Sprintf("key-%d", f.next()))
		if i == 0 {
			f.fill(value)
		} else if value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Uint8 {
			value.SetBytes([]byte{})
		}
		v.SetMapIndex(key, value)
	}
	f.depth[v.Type()]--
}

// Types that are written in a way of their own.
func (f *filler) special(v reflect.Value) bool {
	isFull := f.mode == everything
	switch value := v.Addr().Interface().(type) {
	case *meta.Time:
		if isFull {
			*value = meta.Unix(1_700_000_000+int64(f.next()), 123_456_789)
		}
	case *meta.MicroTime:
		if isFull {
			*value = meta.MicroTime{Time: time.Unix(1_700_000_000, int64(f.next())*1000)}
		}
	case *meta.FieldsV1:
		value.Raw = []byte(`{"f:data":{".":{},"f:key":{}}}`)
	case *resource.Quantity:
		if isFull {
			*value = resource.MustParse(fmt.Sprintf("%dMi", f.next()))
		}
	case *intstr.IntOrString:
		if isFull && f.next()%2 == 0 {
			*value = intstr.FromString("25%")
		} else if isFull {
			*value = intstr.FromInt32(int32(f.next()))
		}
	case *runtime.RawExtension:
		value.Raw = []byte(`{"kind":"Raw","apiVersion":"example.com/v1"}`)
	case *apiextensions.JSON:
		value.Raw = []byte(fmt.Sprintf(`{"n":[%d,null,"x"]}`, f.next()))
	default:
		return false
	}
	return true
}

var kinds = map[schema.GroupVersion][]runtime.Object{
	core.SchemeGroupVersion: {&core.Namespace{}, &core.ConfigMap{}, &core.Secret{}, &core.ServiceAccount{}, &core.Node{}, &core.Pod{}, &core.Event{},
		&core.Binding{}, &meta.DeleteOptions{}},
	events.SchemeGroupVersion:       {&events.Event{}},
	batch.SchemeGroupVersion:        {&batch.Job{}},
	policy.SchemeGroupVersion:       {&policy.PodDisruptionBudget{}, &policy.Eviction{}},
	coordination.SchemeGroupVersion: {&coordination.Lease{}},
	rbac.SchemeGroupVersion:         {&rbac.Role{}, &rbac.RoleBinding{}, &rbac.ClusterRole{}, &rbac.ClusterRoleBinding{}},
	admissionregistration.SchemeGroupVersion: {&admissionregistration.ValidatingWebhookConfiguration{},
		&admissionregistration.MutatingWebhookConfiguration{}},
	apiextensions.SchemeGroupVersion:  {&apiextensions.CustomResourceDefinition{}},
	authentication.SchemeGroupVersion: {&authentication.TokenReview{}, &authentication.TokenRequest{}, &authentication.SelfSubjectReview{}},
	authorization.SchemeGroupVersion: {&authorization.SubjectAccessReview{}, &authorization.LocalSubjectAccessReview{},
		&authorization.SelfSubjectAccessReview{}, &authorization.SelfSubjectRulesReview{}},
	autoscaling.SchemeGroupVersion: {&autoscaling.Scale{}},
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

var serializer = protobuf.NewSerializer(nil, nil)

// What the server sees of an object is what its own type reads back.
func goldenOf(name string, object runtime.Object) golden {
	var encoded bytes.Buffer
	check(serializer.Encode(object, &encoded))
	unknown := runtime.Unknown{}
	check(unknown.Unmarshal(encoded.Bytes()[4:]))
	read := reflect.New(reflect.TypeOf(object).Elem()).Interface().(runtime.Object)
	check(read.(interface{ Unmarshal([]byte) error }).Unmarshal(unknown.Raw))
	read.GetObjectKind().SetGroupVersionKind(object.GetObjectKind().GroupVersionKind())
	text, err := json.Marshal(read)
	check(err)
	return golden{name, encoded.Bytes(), text}
}

func ofKind(group schema.GroupVersion, prototype runtime.Object) []golden {
	all := []golden{}
	kind := reflect.TypeOf(prototype).Elem()
	for _, mode := range []string{everything, zeroes, nothing} {
		object := reflect.New(kind)
		if mode != nothing {
			filler := filler{mode: mode, depth: map[reflect.Type]int{}}
			filler.fill(object.Elem())
		}
		typed := object.Interface().(runtime.Object)
		typed.GetObjectKind().SetGroupVersionKind(group.WithKind(kind.Name()))
		all = append(all, goldenOf(fmt.Sprintf("%s %s, %s", group, kind.Name(), mode), typed))
	}
	return all
}

// A definition that uses every either-or type of a schema in each of its forms.
func eitherOr() golden {
	properties := func(p apiextensions.JSONSchemaProps) *apiextensions.JSONSchemaProps { return &p }
	number, count := math.Pi, int64(0)
	root := properties(apiextensions.JSONSchemaProps{
		Ref: &[]string{"#/definitions/x"}[0], Maximum: &number, MinLength: &count,
		Items:                &apiextensions.JSONSchemaPropsOrArray{JSONSchemas: []apiextensions.JSONSchemaProps{{Type: "string"}, {}}},
		AdditionalProperties: &apiextensions.JSONSchemaPropsOrBool{Allows: true},
		AdditionalItems:      &apiextensions.JSONSchemaPropsOrBool{Allows: false},
		Dependencies: apiextensions.JSONSchemaDependencies{
			"a": {Property: []string{"b", "c"}}, "d": {Schema: properties(apiextensions.JSONSchemaProps{Type: "object"})},
		},
		Properties: map[string]apiextensions.JSONSchemaProps{
			"single": {Items: &apiextensions.JSONSchemaPropsOrArray{Schema: properties(apiextensions.JSONSchemaProps{Type: "integer"})}},
			"nested": {AdditionalProperties: &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: properties(apiextensions.JSONSchemaProps{Not: properties(apiextensions.JSONSchemaProps{})})}},
		},
		Enum: []apiextensions.JSON{{Raw: []byte(`"a"`)}, {Raw: []byte(`1.5`)}, {Raw: []byte(`null`)}},
	})
	object := &apiextensions.CustomResourceDefinition{Spec: apiextensions.CustomResourceDefinitionSpec{Versions: []apiextensions.CustomResourceDefinitionVersion{
		{Name: "v1", Schema: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: root}},
	}}}
	object.SetGroupVersionKind(apiextensions.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	return goldenOf("a definition with every either-or of a schema", object)
}

func main() {
	all := []golden{}
	for group, objects := range kinds {
		for _, object := range objects {
			all = append(all, ofKind(group, object)...)
		}
	}
	all = append(all, eitherOr())
	byName := map[string]golden{}
	for _, each := range all {
		byName[each.name] = each
	}
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	check(out.Encode(byName))
}
