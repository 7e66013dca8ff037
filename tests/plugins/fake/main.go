// A provider plugin that does what FAKE_PLUGIN says: see ../README.md.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var mode = os.Getenv("FAKE_PLUGIN")

// Answers to a call: a message, or a status of gRPC and what it says.
type answer struct {
	message []byte
	status  int
	reason  string
}

var stopped = make(chan struct{})
var stopOnce sync.Once

func attribute(name, kind string, flags ...[]byte) []byte {
	return bytesField(2, text(1, name), text(2, kind), join(flags...))
}

var required, optional, computed = varint(4, 1), varint(5, 1), varint(6, 1)

func schema() []byte {
	kind := `"string"`
	if mode == "bad-type" {
		kind = `["lost","string"]`
	}
	block := bytesField(2, attribute("name", kind, required), attribute("id", `"string"`, computed),
		attribute("secret", `"string"`, optional, varint(11, 1)))
	thing := bytesField(2, text(1, "fake_thing"), bytesField(2, varint(1, 3), block))
	provider := bytesField(1, bytesField(2, attribute("mode", `"string"`, optional)))
	capabilities := bytesField(6, varint(1, 1), varint(2, 1))
	if store != "" {
		capabilities = bytesField(6, varint(1, 1), varint(2, 1), varint(4, 1))
	}
	parameter := bytesField(1, text(1, "text"), text(2, `"string"`))
	shout := bytesField(7, text(1, "shout"), bytesField(2, parameter, bytesField(3, text(1, `"string"`))))
	all := join(provider, thing, capabilities, shout, manyTypes())
	if store != "" {
		all = append(all, vaultSchema()...)
	}
	switch mode {
	case "large":
		all = append(all, bytesField(4, varint(1, 2), text(2, strings.Repeat("x", 65<<20)))...)
	case "warning":
		all = append(all, bytesField(4, varint(1, 2), text(2, "Old"), text(3, "Older than others"))...)
	case "refusal":
		all = append(all, bytesField(4, varint(1, 1), text(2, "Not today"), text(3, "Come back later"))...)
	}
	return all
}

// As many types as FAKE_TYPES says, each with forty attributes and two nested blocks: a schema of
// the size that the providers of large clouds have.
func manyTypes() []byte {
	var all []byte
	count, _ := strconv.Atoi(os.Getenv("FAKE_TYPES"))
	for number := range count {
		var parts []byte
		for i := range 40 {
			parts = append(parts, bytesField(2, text(1, fmt.Sprintf("attribute_%02d", i)),
				text(2, `["map","string"]`), text(3, strings.Repeat("What it is for. ", 6)), optional)...)
		}
		for _, name := range []string{"rule", "timeouts"} {
			var inside []byte
			for i := range 10 {
				inside = append(inside, attribute(fmt.Sprintf("part_%d", i), `"string"`, optional)...)
			}
			parts = append(parts, bytesField(3, text(1, name), bytesField(2, inside), varint(3, 2))...)
		}
		all = append(all, bytesField(2, text(1, fmt.Sprintf("fake_type_%d", number)),
			bytesField(2, bytesField(2, parts)))...)
	}
	return all
}

// fake_thing, whose "name" says what happens to it.
func call(method string, request []byte) answer {
	if store != "" {
		if stored, known := inVault(method, request); known {
			return stored
		}
		if stored, known := inStore(method, request); known {
			return stored
		}
	}
	switch method {
	case "Check":
		return answer{message: varint(1, 1)}
	case "GetProviderSchema":
		if mode == "nonsense" {
			return answer{message: []byte("this is not protobuf\xff\xff\xff\xff")}
		}
		return answer{message: schema()}
	case "ValidateResourceConfig":
		name := string(find(find(request, 2), 1))
		switch {
		case strings.Contains(name, "panic"):
			go panic("the fake plugin was told to panic")
			select {}
		case strings.Contains(name, "hang"):
			<-stopped
			return answer{status: 1, reason: "stopped"}
		case strings.Contains(name, "frozen"):
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			select {}
		case strings.Contains(name, "flood"):
			flood := bytes.Repeat([]byte("x"), 1<<20)
			go func() {
				for {
					os.Stderr.Write(flood)
				}
			}()
		case strings.Contains(name, "verbose"):
			return answer{status: 2, reason: strings.Repeat("why,", 50<<10)}
		case strings.Contains(name, "long"):
			return answer{status: 2, reason: strings.Repeat("why,", 12<<10)}
		case strings.Contains(name, "refuse"):
			return answer{status: 7, reason: "no%20entry, 100%25"}
		case strings.Contains(name, "broken"):
			return answer{message: []byte("\x0a\xff")}
		}
		step := bytesField(1, text(1, "name"))
		return answer{message: bytesField(1, varint(1, 2), text(2, "Heard"), text(3, "It says \xff"), bytesField(4, step))}
	case "ConfigureProvider":
		return answer{}
	case "ReadResource":
		switch mode {
		case "deferred":
			return answer{message: join(bytesField(1, find(request, 2)), bytesField(4, varint(1, 1)))}
		case "write-only":
			return answer{message: bytesField(1, text(2, `{"id":"1","name":"n","secret":"s"}`))}
		}
		// As JSON, which nearly nobody does.
		return answer{message: join(bytesField(1, text(2, `{"id":"1","name":"read","secret":null}`)), text(3, "private"))}
	case "CallFunction":
		return answer{message: bytesField(2, text(1, "too loud"), varint(2, 0))}
	case "StopProvider":
		stopOnce.Do(func() { close(stopped) })
		return answer{}
	case "Shutdown":
		if mode != "stays" {
			time.AfterFunc(time.Millisecond, func() { os.Exit(0) })
		}
		return answer{}
	}
	return answer{status: 12, reason: "not here"}
}

func serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) < 5 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if r.URL.Path == "/plugin.GRPCStdio/StreamStdio" {
		w.Header().Set("Content-Type", "application/grpc")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	got := call(path.Base(r.URL.Path), body[5:])
	w.Header().Set("Content-Type", "application/grpc")
	w.Header().Set("Trailer", "Grpc-Status, Grpc-Message")
	if got.status == 0 {
		frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(got.message)))
		w.Write(append(frame, got.message...))
	}
	w.Header().Set("Grpc-Status", fmt.Sprint(got.status))
	w.Header().Set("Grpc-Message", got.reason)
}

func certificate() tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "localhost"},
		DNSNames:              []string{"localhost"},
		NotBefore:             time.Now().Add(-time.Minute),
		NotAfter:              time.Now().Add(time.Hour),
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	check(err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func misbehave() {
	switch mode {
	case "garbage":
		fmt.Println("Hello! This is a program, not a plugin.")
		time.Sleep(time.Minute)
	case "silent":
		time.Sleep(time.Minute)
	case "exits":
		fmt.Fprintln(os.Stderr, `{"@level":"error","@message":"no licence","@module":"fake","code":7}`)
		os.Exit(3)
	case "old":
		fmt.Println("1|4|unix|/nowhere|grpc|")
		time.Sleep(time.Minute)
	case "nowhere":
		fmt.Printf("1|6|unix|/nowhere/at/all|grpc|%s\n", strings.Repeat("A", 100))
		time.Sleep(time.Minute)
	case "slow":
		time.Sleep(300 * time.Millisecond)
	}
}

func main() {
	if os.Getenv("TF_PLUGIN_MAGIC_COOKIE") == "" && mode != "attached" {
		log.Fatal("this is a plugin")
	}
	misbehave()
	var listener net.Listener
	var err error
	if mode == "tcp" {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	} else {
		var folder string
		folder, err = os.MkdirTemp("", "fake-plugin")
		check(err)
		listener, err = net.Listen("unix", filepath.Join(folder, "socket"))
	}
	check(err)
	server := &http.Server{Handler: http.HandlerFunc(serve), ErrorLog: log.New(io.Discard, "", 0)}
	clients := x509.NewCertPool()
	shown := ""
	if clients.AppendCertsFromPEM([]byte(os.Getenv("PLUGIN_CLIENT_CERT"))) && mode != "plain" {
		mine := certificate()
		shown = base64.RawStdEncoding.EncodeToString(mine.Certificate[0])
		if mode == "wrong-certificate" {
			shown = base64.RawStdEncoding.EncodeToString(certificate().Certificate[0])
		}
		server.TLSConfig = &tls.Config{
			Certificates: []tls.Certificate{mine},
			ClientAuth:   tls.RequireAndVerifyClientCert,
			ClientCAs:    clients,
			MinVersion:   tls.VersionTLS12,
		}
	} else {
		server.Protocols = new(http.Protocols)
		server.Protocols.SetUnencryptedHTTP2(true)
	}
	address := listener.Addr()
	if mode == "attached" {
		// For TF_REATTACH_PROVIDERS.
		fmt.Printf(`{"example.com/acme/fake":{"Protocol":"grpc","ProtocolVersion":6,"Pid":%d,`+
			`"Test":true,"Addr":{"Network":"%s","String":"%s"}}}`+"\n",
			os.Getpid(), address.Network(), address.String())
	} else {
		fmt.Printf("1|6|%s|%s|grpc|%s\n", address.Network(), address.String(), shown)
	}
	if server.TLSConfig != nil {
		err = server.ServeTLS(listener, "", "")
	} else {
		err = server.Serve(listener)
	}
	check(err)
}
