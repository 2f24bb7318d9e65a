package model

import "strings"

// Entry is a place from which libraries take what their goroutines begin with: the class of a field
// in which functions are stored, or a type to which functions and concrete types are converted.
type Entry struct {
	Place  string
	Method string // called on what is converted to the type; "" for functions
	Many   bool   // several goroutines may be in it at once
}

// Entries is the table of these places.
var Entries = []Entry{
	{"net/http.Handler", "ServeHTTP", true},
	{"net/http.HandlerFunc", "", true},
	{"net/http.Server.ConnState", "", true},
	{"net/http.Server.ConnContext", "", false},
	{"crypto/tls.Config.GetCertificate", "", true},
	{"crypto/tls.Config.GetConfigForClient", "", true},
	{"crypto/tls.Config.VerifyConnection", "", true},
	{"net/http/httputil.ReverseProxy.ModifyResponse", "", true},
	{"net/http/httputil.ReverseProxy.Director", "", true},
	{"net/http.RoundTripper", "RoundTrip", true},

	// An informer has one goroutine for each handler.
	{"k8s.io/client-go/tools/cache.ResourceEventHandlerFuncs.AddFunc", "", false},
	{"k8s.io/client-go/tools/cache.ResourceEventHandlerFuncs.UpdateFunc", "", false},
	{"k8s.io/client-go/tools/cache.ResourceEventHandlerFuncs.DeleteFunc", "", false},
	{"k8s.io/client-go/tools/cache.ResourceEventHandlerDetailedFuncs.AddFunc", "", false},
	{"k8s.io/client-go/tools/cache.ResourceEventHandler", "OnAdd", false},
	{"k8s.io/client-go/tools/cache.ResourceEventHandler", "OnUpdate", false},
	{"k8s.io/client-go/tools/cache.ResourceEventHandler", "OnDelete", false},

	{"google.golang.org/grpc.UnaryServerInterceptor", "", true},
	{"google.golang.org/grpc.StreamServerInterceptor", "", true},
	{"google.golang.org/grpc/stats.Handler", "HandleRPC", true},
}

// Service returns the function that registers servers of the type, if its name is that of a grpc
// service: each call of a method of the service is a goroutine. Other methods of the server
// are not called.
func Service(typ string) (register string, ok bool) {
	dot := strings.LastIndexByte(typ, '.')
	if dot < 0 || !strings.HasSuffix(typ, "Server") || strings.HasPrefix(typ, "*") {
		return "", false
	}
	return typ[:dot+1] + "Register" + typ[dot+1:], true
}
