package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// maxTries is how often a broken connection is tried again without a new byte.
const maxTries = 3

// errNotSecure stops a redirect that leaves HTTPS.
var errNotSecure = errors.New("redirect to an address that is not https")

// errStalled ends a connection that stays silent.
var errStalled = errors.New("no data came for too long")

// client returns the client for one transfer. The caller's own settings are
// kept, but redirects stay within HTTPS.
func (f *Fetcher) client() *http.Client {
	c := http.Client{}
	if f.Client != nil {
		c = *f.Client
	} else {
		// No total limit, since a model takes as long as it takes; each phase
		// before the first byte has one, and copying has the stall watch.
		c.Transport = &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 15 * time.Second}).DialContext,
			TLSHandshakeTimeout:   15 * time.Second,
			ResponseHeaderTimeout: 30 * time.Second,
			ForceAttemptHTTP2:     true,
			DisableCompression:    true, // Range counts the stored bytes
		}
	}
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if req.URL.Scheme != "https" {
			return errNotSecure
		}
		if len(via) >= 10 {
			return errors.New("more than 10 redirects")
		}
		return nil
	}
	return &c
}

// download appends what is missing from an HTTPS address. A connection that
// breaks while bytes flow is taken up again where it broke.
func (f *Fetcher) download(ctx context.Context, p *part, addr string) error {
	u, err := url.Parse(addr)
	if err != nil || u.Scheme != "https" {
		return &Error{Kind: NotSecure, What: addr + " is not an https address", Do: "nothing was requested; report this address"}
	}
	c := f.client()
	if f.Client == nil {
		defer c.CloseIdleConnections() // the transport was made for this transfer
	}
	wait := f.RetryWait
	if wait == 0 {
		wait = time.Second
	}
	for try := 1; ; try++ {
		before := p.n
		err := f.downloadOnce(ctx, p, c, u)
		if err == nil || ctx.Err() != nil || kindOf(err) != Interrupted {
			return err
		}
		if p.n > before {
			try = 1
		}
		if try >= maxTries {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait << (try - 1)):
		}
	}
}

// downloadOnce does one request, with a Range when the part has bytes already.
func (f *Fetcher) downloadOnce(ctx context.Context, p *part, c *http.Client, u *url.URL) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return &Error{Kind: NotSecure, What: "bad address " + u.Redacted(), Err: err}
	}
	req.Header.Set("User-Agent", "windowseat")
	if p.n > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", p.n))
	}
	resp, err := c.Do(req)
	if err != nil {
		return requestError(u, err)
	}
	defer resp.Body.Close()
	if err := p.accept(resp, u); err != nil {
		return err
	}

	stall := f.Stall
	if stall == 0 {
		stall = time.Minute
	}
	watch := time.AfterFunc(stall, func() { cancel(errStalled) })
	defer watch.Stop()
	err = p.copyFrom(ctx, readerFunc(func(b []byte) (int, error) {
		n, err := resp.Body.Read(b)
		watch.Reset(stall)
		return n, err
	}))
	if err != nil && kindOf(err) == "" {
		if cause := context.Cause(ctx); errors.Is(cause, errStalled) {
			err = cause
		}
		return interrupted(p, u, err)
	}
	if err == nil && p.n < p.want.Bytes {
		return interrupted(p, u, io.ErrUnexpectedEOF) // only without a Content-Length
	}
	return err
}

// accept checks that the answer is the file, or the rest of it from where we are.
func (p *part) accept(resp *http.Response, u *url.URL) error {
	host := u.Hostname()
	switch {
	case resp.StatusCode == http.StatusPartialContent:
		var from, to, total int64
		cr := resp.Header.Get("Content-Range")
		if _, err := fmt.Sscanf(cr, "bytes %d-%d/%d", &from, &to, &total); err != nil || from != p.n || to != p.want.Bytes-1 || total != p.want.Bytes {
			return p.sizeError(fmt.Sprintf("%s offers the range %q of a file that should have %d bytes", host, cr, p.want.Bytes))
		}
		return nil
	case resp.StatusCode == http.StatusOK:
		if resp.ContentLength >= 0 && resp.ContentLength != p.want.Bytes {
			return p.sizeError(fmt.Sprintf("%s offers %d bytes, not %d", host, resp.ContentLength, p.want.Bytes))
		}
		if p.n > 0 {
			return p.reset() // the host does not know Range: from the start
		}
		return nil
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return p.sizeError(fmt.Sprintf("%s says that its file ends before byte %d (416)", host, p.n))
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return &Error{
			Kind: Interrupted, What: fmt.Sprintf("%s answered %s", host, resp.Status),
			Do: "the host is busy; run this again later: it goes on where it stopped",
		}
	}
	return &Error{
		Kind: HTTPStatus, What: fmt.Sprintf("%s answered %s for %s", host, resp.Status, u.Path),
		Do: "the file has moved or needs a login there; get it with a browser and use `windowseat models import FILE`",
	}
}

// requestError sorts the ways in which no answer came.
func requestError(u *url.URL, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		var netErr net.Error
		if !errors.As(err, &netErr) || !netErr.Timeout() {
			return err
		}
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err // without the address, which the message names itself
	}
	host := u.Hostname()
	var cert *tls.CertificateVerificationError
	var opErr *net.OpError
	switch {
	case errors.Is(err, errNotSecure):
		return &Error{
			Kind: NotSecure, What: host + " redirects to an address that is not https", Err: nil,
			Do: "nothing was taken from there; some hotel and train networks do this before login: log in with a browser first",
		}
	case errors.As(err, &cert):
		return &Error{
			Kind: BadTLS, What: "the certificate of " + host + " is not valid", Err: err,
			Do: "check the clock of this machine, and whether the network asks for a login",
		}
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &opErr) && opErr.Op != "dial" && !strings.Contains(opErr.Op, "proxy"):
		return &Error{
			Kind: Interrupted, What: "the connection to " + host + " broke", Err: err,
			Do: "run this again: it goes on where it stopped",
		}
	}
	return &Error{
		Kind: NoNetwork, What: "cannot reach " + host, Err: err,
		Do: "check the connection, or copy the file from another machine and use `windowseat models import FILE`",
	}
}

func interrupted(p *part, u *url.URL, err error) error {
	return &Error{
		Kind: Interrupted, What: fmt.Sprintf("the connection to %s broke after %d of %d bytes", u.Hostname(), p.n, p.want.Bytes),
		Err: err, Do: "run this again: it goes on where it stopped",
	}
}

// readerFunc is a function as an io.Reader.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }
