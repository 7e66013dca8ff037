package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
)

// fake_vault has secrets in every place: its id, an attribute that is given, one that the provider
// makes, an element of a map, a nested attribute and a block are sensitive by its schema, and "note"
// and "label" take what is sensitive by configuration. The data source of the same name returns what
// it is given, with an id and a token. FAKE_FAILS names the stage that fails.
//
// Objects stay as msgpack has them: what the provider fills in takes the place of the bytes of a null
// or an unknown.
var fails = os.Getenv("FAKE_FAILS")

const unknown = "\xd4\x00\x00"

var vaultAttributes = []string{"id", "key", "labels", "name", "nested", "note", "token", "zone"}

func vaultSchema() []byte {
	sensitive := varint(7, 1)
	nested := bytesField(10, bytesField(1, text(1, "label"), text(2, `"string"`), optional),
		bytesField(1, text(1, "pin"), text(2, `"string"`), optional, sensitive), varint(3, 1))
	rule := bytesField(2, attribute("label", `"string"`, optional),
		attribute("pin", `"string"`, optional, sensitive))
	block := bytesField(2,
		attribute("id", `"string"`, computed, sensitive),
		attribute("key", `"string"`, optional, sensitive),
		attribute("labels", `["map","string"]`, optional),
		attribute("name", `"string"`, required),
		bytesField(2, text(1, "nested"), optional, nested),
		attribute("note", `"string"`, optional),
		attribute("token", `"string"`, computed, sensitive),
		attribute("zone", `"string"`, optional),
		bytesField(3, text(1, "rule"), rule, varint(3, 2)))
	vault := join(text(1, "fake_vault"), bytesField(2, block))
	return join(bytesField(2, vault), bytesField(3, vault))
}

func packed(value string) string {
	return string(binary.BigEndian.AppendUint16([]byte{0xda}, uint16(len(value)))) + value
}

// A field of an object that holds one of two placeholders gets a value.
func fill(object []byte, name, placeholder, value string) []byte {
	key := string([]byte{byte(0xa0 | len(name))}) + name
	return bytes.Replace(object, []byte(key+placeholder), []byte(key+value), 1)
}

func emptyVault(id string) []byte {
	object := []byte{byte(0x80 | len(vaultAttributes) + 1)}
	for _, name := range vaultAttributes {
		object = append(object, byte(0xa0|len(name)))
		object = append(object, name...)
		object = append(object, 0xc0)
	}
	object = append(object, "\xa4rule\x90"...)
	return fill(object, "id", "\xc0", packed(id))
}

// Where the object is stored: by its id, which has at most 255 bytes here.
func vaultFile(object []byte) string {
	_, rest, found := bytes.Cut(object, []byte("\xa2id"))
	if found && len(rest) > 3 && rest[0] == 0xda && len(rest) >= 3+int(rest[2]) {
		return filepath.Join(store, string(rest[3:3+int(rest[2])]))
	}
	if found && len(rest) > 1 && rest[0]&0xe0 == 0xa0 && len(rest) > int(rest[0]&0x1f) {
		return filepath.Join(store, string(rest[1:1+int(rest[0]&0x1f)]))
	}
	return filepath.Join(store, "none")
}

func vaultFailure(stage string, more ...[]byte) (answer, bool) {
	if fails != stage {
		return answer{}, false
	}
	first := bytesField(1, varint(3, 0))
	at := bytesField(4, bytesField(1, text(1, "rule")), first, bytesField(1, text(1, "pin")))
	return answer{message: join(join(more...), bytesField(3, varint(1, 1), text(2, "It fails"), at))}, true
}

// A message of one object as msgpack.
func vaultObject(object []byte) []byte { return bytesField(1, object) }

func inVault(method string, request []byte) (answer, bool) {
	isImport := method == "ImportResourceState" && !bytes.HasPrefix(request, text(1, "fake_thing"))
	if !isImport && !bytes.HasPrefix(request, text(1, "fake_vault")) {
		return answer{}, false
	}
	switch method {
	case "UpgradeResourceState":
		return answer{message: bytesField(1, text(2, string(find(find(request, 3), 1))))}, true
	case "ReadResource":
		object, err := os.ReadFile(vaultFile(find(find(request, 2), 1)))
		if err != nil {
			object = []byte{0xc0}
		}
		if fails == "read" {
			return answer{message: bytesField(2, varint(1, 1), text(2, "It fails"))}, true
		}
		return answer{message: bytesField(1, vaultObject(object))}, true
	case "ImportResourceState":
		// Whatever the ID: so that no secret has to be typed to import what is there.
		var id string
		files, err := os.ReadDir(store)
		check(err)
		for _, file := range files {
			id = file.Name()
		}
		imported := join(text(1, "fake_vault"), bytesField(2, vaultObject(emptyVault(id))))
		return answer{message: bytesField(1, imported)}, true
	case "GenerateResourceConfig":
		return answer{message: bytesField(1, find(request, 2))}, true
	case "ValidateDataResourceConfig":
		return answer{}, true
	case "ReadDataSource":
		if fails == "data" {
			return answer{message: bytesField(2, varint(1, 1), text(2, "It fails"))}, true
		}
		object := find(find(request, 2), 1)
		object = fill(fill(object, "id", "\xc0", packed("hush-id-of-data")), "token", "\xc0", packed("hush-token"))
		return answer{message: bytesField(1, vaultObject(object))}, true
	case "PlanResourceChange":
		prior, proposed := find(find(request, 2), 1), find(find(request, 3), 1)
		if len(proposed) > 1 {
			proposed = fill(fill(proposed, "id", "\xc0", unknown), "token", "\xc0", unknown)
		}
		var replaced []byte
		if len(prior) > 1 && len(proposed) > 1 &&
			attributeOf(find(request, 2), "zone") != attributeOf(find(request, 3), "zone") {
			replaced = bytesField(2, bytesField(1, text(1, "zone")))
		}
		if failed, does := vaultFailure("plan"); does {
			failed.message = bytes.Replace(failed.message, []byte{3<<3 | 2}, []byte{4<<3 | 2}, 1)
			return failed, true
		}
		return answer{message: join(bytesField(1, vaultObject(proposed)), replaced)}, true
	case "ApplyResourceChange":
		prior, planned := find(find(request, 2), 1), find(find(request, 3), 1)
		stage := "update"
		if len(prior) <= 1 {
			stage = "create"
		} else if len(planned) <= 1 {
			stage = "delete"
		}
		if failed, does := vaultFailure(stage, bytesField(1, vaultObject(prior))); does {
			return failed, true
		}
		if stage == "delete" {
			os.Remove(vaultFile(prior))
			return answer{message: bytesField(1, vaultObject([]byte{0xc0}))}, true
		}
		planned = fill(planned, "id", unknown, packed(fmt.Sprintf("hush-id-%d", os.Getpid())))
		planned = fill(planned, "token", unknown, packed("hush-token"))
		if fails == "result" {
			planned = bytes.ReplaceAll(planned, []byte("hush-1"), []byte("hush-0"))
		}
		check(os.WriteFile(vaultFile(planned), planned, 0o600))
		return answer{message: bytesField(1, vaultObject(planned))}, true
	}
	return answer{}, false
}
