package main

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"
)

// With FAKE_STORE set, a thing is a file of its name in that folder. FAKE_KILLED says at which
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

// The name in an object as msgpack has it; empty if the object is null.
func nameOf(object []byte) string {
	packed := find(object, 1)
	at := bytes.Index(packed, []byte("\xa4name"))
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

func object(name string) []byte {
	if name == "" {
		return text(1, "\xc0")
	}
	return text(2, fmt.Sprintf(`{"id":"id-%s","name":"%s","secret":null}`, name, name))
}

func inStore(method string, request []byte) (answer, bool) {
	switch method {
	case "ValidateResourceConfig", "ValidateProviderConfig":
		return answer{}, true
	case "UpgradeResourceState":
		return answer{message: bytesField(1, text(2, string(find(find(request, 3), 1))))}, true
	case "ReadResource":
		name := nameOf(find(request, 2))
		if _, err := os.Stat(filepath.Join(store, name)); err != nil {
			name = ""
		}
		return answer{message: bytesField(1, object(name))}, true
	case "PlanResourceChange":
		return answer{message: bytesField(1, object(nameOf(find(request, 3))))}, true
	case "ApplyResourceChange":
		old, name := nameOf(find(request, 2)), nameOf(find(request, 3))
		moment()
		if name == "" {
			os.Remove(filepath.Join(store, old))
		} else {
			check(os.WriteFile(filepath.Join(store, name), nil, 0o600))
		}
		moment()
		return answer{message: bytesField(1, object(name))}, true
	}
	return answer{}, false
}
