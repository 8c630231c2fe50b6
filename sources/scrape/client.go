package scrape

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"benchtop/model"
	"benchtop/sources"
)

// poll is what one request brought.
type poll struct {
	start, end model.Instant
	x          *Exposition // nil if err is not
	bytes      int
	err        error // one line with the next step
	loading    bool  // HTTP 503: the server is not ready yet
}

// middle is the moment that the gauges are taken to be of.
func (p *poll) middle() model.Instant { return p.start.Add(p.end.Sub(p.start) / 2) }

// newClient makes a client that keeps its connection, asks for no compression
// (packing costs the server CPU) and follows redirects on the same host only.
func newClient(o Options) *http.Client {
	t := o.Transport
	if t == nil {
		t = &http.Transport{
			Proxy:                  http.ProxyFromEnvironment,
			DialContext:            (&net.Dialer{Timeout: o.Timeout}).DialContext,
			DisableCompression:     true,
			MaxConnsPerHost:        1,
			MaxIdleConns:           1,
			IdleConnTimeout:        3 * maxPause,
			MaxResponseHeaderBytes: 64 << 10,
		}
	}
	return &http.Client{Transport: t, CheckRedirect: stay}
}

// stay refuses to leave the host that the user named.
func stay(req *http.Request, via []*http.Request) error {
	if req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return fmt.Errorf("redirected to %s: not followed (give that address if it is the right one)", mask(req.URL))
	}
	if len(via) > 3 {
		return errors.New("redirected in circles (give the final address)")
	}
	return nil
}

// poll asks once, within the timeout.
func (s *Source) poll(ctx context.Context) poll {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	p := poll{start: sources.Now()}
	p.x, p.bytes, p.loading, p.err = s.fetch(ctx, s.url)
	if p.err == nil && s.models < len(modelPaths) && discover(p.x) == &infinity && p.x.families[queueFamily] == nil {
		p.bytes += s.queue(ctx, p.x)
	}
	p.end = sources.Now()
	if p.err != nil {
		p.err = s.explain(ctx, p.err)
	}
	return p
}

// queue asks Infinity, whose metrics have no queue, for its list of models,
// which has it, and adds that to x. A server without such a list is asked no
// more. It returns the bytes read.
func (s *Source) queue(ctx context.Context, x *Exposition) int {
	if s.url.Path != usualPath {
		s.models = len(modelPaths)
		return 0
	}
	u := *s.url
	u.Path = modelPaths[s.models]
	y, n, loading, err := s.fetch(ctx, &u)
	switch {
	case err == nil && y.families[queueFamily] != nil:
		x.add(y)
	case err == nil, errors.Is(err, ErrNotText), errors.Is(err, errStatus) && !loading:
		s.models++
	}
	return n
}

func (s *Source) fetch(ctx context.Context, u *url.URL) (x *Exposition, n int, loading bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, 0, false, err
	}
	req.Header.Set("Accept", "text/plain;version=0.0.4,text/plain;q=0.5,*/*;q=0.1")
	req.Header.Set("User-Agent", "benchtop")
	if name := u.User.Username(); name == "" || name == bearer {
		if token, ok := u.User.Password(); ok {
			req.Header.Set("Authorization", "Bearer "+token)
		}
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, 0, false, err
	}
	defer func() {
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // to keep the connection
		_ = resp.Body.Close()                                         // read only: nothing can be lost
	}()
	if resp.StatusCode != http.StatusOK {
		return nil, 0, resp.StatusCode == http.StatusServiceUnavailable, statusError(resp.StatusCode)
	}
	if err := checkType(resp.Header.Get("Content-Type")); err != nil {
		return nil, 0, false, err
	}
	body := io.Reader(resp.Body)
	switch packing := resp.Header.Get("Content-Encoding"); packing { // unasked
	case "gzip":
		z, err := gzip.NewReader(body)
		if err != nil {
			return nil, 0, false, fmt.Errorf("unpack the answer: %w", err)
		}
		body = z
	case "", "identity":
	default:
		return nil, 0, false, fmt.Errorf("the answer is packed with %q though no packing was asked for (a proxy in between? give the server's own address)", packing)
	}
	x, err = Parse(body)
	if err != nil {
		return nil, 0, false, err
	}
	return x, x.Size, false, nil
}

// bearer is the user whose password in an address is sent as a token.
const bearer = "bearer"

// errStatus is an answer with any status but 200.
var errStatus = errors.New("HTTP")

// statusError says what an HTTP status means for somebody who wants metrics.
func statusError(code int) error {
	next := ""
	switch code {
	case http.StatusUnauthorized, http.StatusForbidden:
		next = " (write before the host in the address: bearer, a colon, the token and an @; or likewise a user and password)"
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented:
		next = ": no metrics there (llama-server needs --metrics, SGLang --enable-metrics; the path is usually /metrics)"
	case http.StatusServiceUnavailable:
		next = ": the server is not ready"
	case http.StatusTooManyRequests:
		next = " (something in between limits how often it is asked: give the server's own address)"
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		next = ": a proxy answers and the server behind it does not (is the server up?)"
	default:
		next = " (try the address with curl; the server's log may say why)"
	}
	return fmt.Errorf("%w %d %s%s", errStatus, code, http.StatusText(code), next)
}

// usualPath is where servers have their metrics.
const usualPath = "/metrics"

// checkType refuses what can't be Prometheus text. A missing or vague type is
// left to the parser.
func checkType(header string) error {
	if header == "" {
		return nil
	}
	t, _, err := mime.ParseMediaType(header)
	if err != nil {
		return nil //nolint:nilerr // a type nobody can read says nothing
	}
	switch t {
	case "application/json": // left to the parser
		return nil
	case "text/html", "application/xhtml+xml":
		return notText('<', nil)
	case "text/plain", "application/openmetrics-text", "application/octet-stream", "text/plain-text":
		return nil
	}
	return fmt.Errorf("%w but %s (is the address right?)", ErrNotText, t)
}

// explain makes one line of an error, without what the address must not show.
func (s *Source) explain(ctx context.Context, err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	var dns *net.DNSError
	var timed net.Error
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &cert):
		return fmt.Errorf("the certificate of %s is not trusted: %w (give its authority by SSL_CERT_FILE=ca.pem, or tunnel: ssh -L 8000:localhost:8000 HOST)", s.url.Host, cert.Err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return fmt.Errorf("%s answers without TLS (use http:// instead of https://)", s.url.Host)
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.As(err, &timed) && timed.Timeout():
		return fmt.Errorf("no answer within %s (is the server overloaded, or the address wrong?)", s.timeout.Round(time.Millisecond))
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("connection refused: nothing listens at %s (is the server up?)", s.url.Host)
	case errors.As(err, &dns):
		return fmt.Errorf("host %s not found (check the address)", s.url.Hostname())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return errors.New("the server closed the connection in mid-answer")
	}
	return err
}

// secrets are parts of query keys whose values are not shown.
var secrets = [...]string{"token", "key", "secret", "password", "passwd", "auth", "sig", "credential"}

// mask is an address as it may be shown and recorded: without user, password
// and the values of query keys that look like secrets.
func mask(u *url.URL) string {
	c := *u
	if c.User != nil {
		c.User = url.User("***")
	}
	q := c.Query()
	hit := false
	for k := range q {
		for _, s := range secrets {
			if strings.Contains(strings.ToLower(k), s) {
				q.Set(k, "***")
				hit = true
			}
		}
	}
	if hit {
		c.RawQuery = q.Encode()
	}
	return strings.ReplaceAll(c.String(), "%2A%2A%2A", "***")
}

// parseURL reads the address as a user types it: the scheme may be missing
// (http) and the path too (/metrics).
func parseURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("metrics address can't be read (want http://HOST:PORT/metrics)") // err would show a password
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("metrics address: scheme %q (want http or https, or file:PATH for saved scrapes)", u.Scheme)
	case u.Host == "":
		return nil, errors.New("metrics address without a host (want http://HOST:PORT/metrics)")
	}
	if p := u.Port(); p != "" {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return nil, fmt.Errorf("metrics address: port %s (want 1 to 65535)", p)
		}
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = usualPath
	}
	u.Fragment = ""
	return u, nil
}
