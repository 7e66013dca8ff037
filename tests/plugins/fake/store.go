package main

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// With FAKE_STORE set, a thing is a file of its name in that folder, or in the one inside that the
// provider's mode names. FAKE_KILLED says at which
// of all the moments before and after a file is written or removed the plugin is killed.
var store = os.Getenv("FAKE_STORE")
var killed, _ = strconv.Atoi(os.Getenv("FAKE_KILLED"))
var moments atomic.Int64

func moment() {
	if moments.Add(1) == int64(killed) {
		check(syscall.Kill(os.Getpid(), syscall.SIGKILL))
	}
	time.Sleep(time.Duration(rand.Intn(2000)) * time.Microsecond)
}

// An attribute with a name of four letters, and a short text for its value, in an object as msgpack
// has it; empty if the object is null.
func attributeOf(object []byte, name string) string {
	packed := find(object, 1)
	at := bytes.Index(packed, []byte("\xa4"+name))
	if at < 0 || at+6 > len(packed) || packed[at+5]&0xe0 != 0xa0 {
		return ""
	}
	rest := packed[at+6:]
	length := int(packed[at+5] & 0x1f)
	if length > len(rest) {
		return ""
	}
	return string(rest[:length])
}

func nameOf(object []byte) string { return attributeOf(object, "name") }

// What the provider is configured with. Once it is, it offers the function "configured", which
// tells.
var configured atomic.Pointer[string]

func fileOf(name string) string {
	folder := store
	if mode := configured.Load(); mode != nil {
		folder = filepath.Join(store, *mode)
	}
	return filepath.Join(folder, name)
}

func object(name string) []byte {
	if name == "" {
		return text(1, "\xc0")
	}
	return text(2, fmt.Sprintf(`{"id":"id-%s","name":"%s","secret":null}`, name, name))
}

// The "mode" of a provider's configuration, and why if it has none.
func modeOf(object []byte) string {
	packed := find(object, 1)
	at := bytes.Index(packed, []byte("\xa4mode"))
	switch {
	case at < 0 || at+5 >= len(packed):
		return "(missing)"
	case packed[at+5] == 0xc0:
		return "(null)"
	case packed[at+5]&0xe0 != 0xa0:
		return "(unknown)"
	}
	return attributeOf(object, "mode")
}

// Appends a line to the file that FAKE_LOG names.
func record(line string) {
	name := os.Getenv("FAKE_LOG")
	if name == "" {
		return
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	check(err)
	_, err = file.WriteString(line + "\n")
	check(err)
	check(file.Close())
}

func inStore(method string, request []byte) (answer, bool) {
	if method == "ConfigureProvider" {
		record(modeOf(find(request, 2)))
	}
	if method == os.Getenv("FAKE_DIES") {
		check(syscall.Kill(os.Getpid(), syscall.SIGKILL))
		select {}
	}
	if method == os.Getenv("FAKE_REFUSES") {
		return answer{message: bytesField(1, varint(1, 1), text(2, "Refused"))}, true
	}
	switch method {
	case "ValidateResourceConfig":
		if strings.Contains(string(find(find(request, 2), 1)), "wrong") {
			return answer{message: bytesField(1, varint(1, 1), text(2, "Wrong name"))}, true
		}
		return answer{}, true
	case "ValidateProviderConfig":
		return answer{message: bytesField(1, find(request, 1))}, true
	case "ConfigureProvider":
		mode := attributeOf(find(request, 2), "mode")
		configured.Store(&mode)
		return answer{}, true
	case "GetFunctions":
		if configured.Load() == nil {
			return answer{}, true
		}
		result := bytesField(3, text(1, `"string"`))
		return answer{message: bytesField(1, text(1, "configured"), bytesField(2, result))}, true
	case "CallFunction":
		mode := configured.Load()
		if mode == nil || string(find(request, 1)) != "configured" {
			return answer{}, false
		}
		return answer{message: bytesField(1, text(2, fmt.Sprintf("%q", *mode)))}, true
	case "UpgradeResourceState":
		return answer{message: bytesField(1, text(2, string(find(find(request, 3), 1))))}, true
	case "ReadResource":
		name := nameOf(find(request, 2))
		if _, err := os.Stat(fileOf(name)); err != nil {
			name = ""
		}
		return answer{message: bytesField(1, object(name))}, true
	case "ImportResourceState":
		imported := object(string(find(request, 2)))
		return answer{message: bytesField(1, text(1, "fake_thing"), bytesField(2, imported))}, true
	case "GenerateResourceConfig":
		name := nameOf(find(request, 2))
		if name == "Secret" {
			return answer{message: bytesField(2, varint(1, 1), text(2, "Cannot be described"))}, true
		}
		if name == "Nothing" {
			return answer{message: bytesField(1, object(""))}, true
		}
		config := fmt.Sprintf(`{"id":null,"name":"%s","secret":null}`, strings.ToLower(name))
		return answer{message: bytesField(1, text(2, config))}, true
	case "PlanResourceChange":
		return answer{message: bytesField(1, object(nameOf(find(request, 3))))}, true
	case "ApplyResourceChange":
		old, name := nameOf(find(request, 2)), nameOf(find(request, 3))
		if name == "" && old == os.Getenv("FAKE_STUCK") {
			problem := bytesField(3, varint(1, 1), text(2, "Cannot be destroyed"))
			return answer{message: append(bytesField(1, object(old)), problem...)}, true
		}
		moment()
		if name == "" {
			os.Remove(fileOf(old))
		} else {
			check(os.MkdirAll(filepath.Dir(fileOf(name)), 0o700))
			check(os.WriteFile(fileOf(name), nil, 0o600))
		}
		moment()
		return answer{message: bytesField(1, object(name))}, true
	}
	return answer{}, false
}
