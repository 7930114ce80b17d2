package transport

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/memls/memls/agentcli/model"
	"github.com/memls/memls/rules"
)

const (
	errorBytes = 64 << 10 // of a refusal's body that are read
	errorRunes = 500      // of a provider's message that are shown
	secretMin  = 8        // bytes; a shorter key is a placeholder such as "none", and a word of many messages
)

// Incomplete is the failure of a stream that ended in good order, and before
// the answer did.
func Incomplete() *model.Error {
	return &model.Error{Message: "the stream ended before the model finished", Temporary: true, Err: io.ErrUnexpectedEOF}
}

// Malformed is the failure of a stream that says what it cannot.
func Malformed(what string) *model.Error {
	return &model.Error{Message: "sent a stream that makes no sense: " + what}
}

// Reported is the failure that a stream itself tells of: an error object, or
// what has one as "error".
func Reported(object []byte) *model.Error {
	kind, status, text := describe(object)
	return &model.Error{
		Status: status, Type: kind, Temporary: temporary(status) || temporaryTypes[kind],
		Message: "broke off the answer: " + cmp.Or(text, kind, "it does not say why"),
	}
}

// temporaryTypes are words for what passes.
var temporaryTypes = map[string]bool{
	"overloaded_error": true, "rate_limit_error": true, "api_error": true, "timeout_error": true, // Anthropic
	"server_error": true, "rate_limit_exceeded": true, // OpenAI
}

func temporary(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return true
	}
	return status >= 500
}

// failure names what went wrong outside of the answer itself.
func (a *Attempt) failure(err error) *model.Error {
	var known *model.Error
	limits := a.client.limits
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, errSilent) && a.opened:
		return &model.Error{Message: fmt.Sprintf("sent nothing for %s in the middle of the answer", limits.Idle), Temporary: true, Err: err}
	case errors.Is(err, errSilent):
		return &model.Error{Message: fmt.Sprintf("did not begin to answer within %s", limits.FirstByte), Temporary: true, Err: err}
	case errors.Is(a.readErr, errTooLong):
		return &model.Error{Message: fmt.Sprintf("sent an answer of more than %d MiB; the rest was not read", limits.Bytes>>20), Err: errTooLong}
	case a.readErr != nil:
		return &model.Error{Message: "the connection broke in the middle of the answer: " + cause(a.readErr).Error(), Temporary: true, Err: cause(a.readErr)}
	case a.opened:
		return Malformed(err.Error())
	}
	return a.client.unreachable(err)
}

// Unreachable is the failure of a request that got no answer.
func (c *Client) Unreachable(err error) *model.Error { return c.finish(c.unreachable(err)) }

// Refused is the failure of an answer that is no success. It reads the body.
func (c *Client) Refused(response *http.Response) *model.Error {
	return c.finish(c.statusError(response))
}

func (c *Client) unreachable(err error) *model.Error {
	root := cause(err)
	return &model.Error{
		Message: fmt.Sprintf("cannot be reached: %v: check that the server runs, and %s", root, c.URLVariable),
		// A name or a certificate that is wrong now is wrong in a second, too.
		Temporary: !isA[*tls.CertificateVerificationError](err) && !isNoHost(err),
		Err:       root,
	}
}

// cause leaves out what names the whole address.
func cause(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

func isA[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

func isNoHost(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}

func (c *Client) statusError(response *http.Response) *model.Error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, errorBytes)) // what came of it is better than nothing
	kind, _, text := describe(body)
	status := response.StatusCode
	e := &model.Error{Status: status, Type: kind, Temporary: temporary(status), RetryAfter: retryAfter(response.Header, time.Now())}
	if should, err := strconv.ParseBool(response.Header.Get("X-Should-Retry")); err == nil {
		e.Temporary = should
	}
	text = cmp.Or(text, http.StatusText(status), "no reason given")
	switch {
	case status >= 300 && status < 400:
		e.Message = fmt.Sprintf("redirects to %s, where the key does not go: set %s to the right address", target(response), c.URLVariable)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Message = fmt.Sprintf("refuses the key: %s (%d): check %s", text, status, c.KeyVariable)
	case status == http.StatusNotFound:
		e.Message = fmt.Sprintf("%s (404): check the model's name, and %s", text, c.URLVariable)
	case e.RetryAfter > c.limits.MaxWait:
		e.Message = fmt.Sprintf("%s (%d): try again in %s", text, status, e.RetryAfter)
	default:
		e.Message = fmt.Sprintf("%s (%d)", text, status)
	}
	return e
}

// noStream is an answer that claims success. It reads the body.
func (c *Client) noStream(response *http.Response, kind string) *model.Error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, errorBytes))
	word, _, text := describe(body)
	if text != "" {
		text += ": "
	}
	return &model.Error{Status: response.StatusCode, Type: word, Message: fmt.Sprintf("answered with %s and not with a stream: %scheck %s", kind, text, c.URLVariable)}
}

// target is the host of a redirect: the rest of the address may hold secrets.
func target(response *http.Response) string {
	u, err := response.Location()
	if err != nil {
		return "nowhere"
	}
	return u.Scheme + "://" + u.Host
}

// retryAfter reads the headers that ask to wait, 0 for none.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil {
		return seconds(ms / 1000)
	}
	text := header.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return seconds(s)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

func seconds(s float64) time.Duration {
	const most = float64(24 * time.Hour / time.Second) // beyond it, the number does not fit
	if s > 0 {                                         // and a number
		return time.Duration(min(s, most) * float64(time.Second))
	}
	return 0
}

// describe finds the provider's word for a failure, its status where the object
// has one, and its message, in the shapes that servers use.
func describe(object []byte) (kind string, status int, text string) {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Type    string          `json:"type"`
		Code    any             `json:"code"` // a word or a status
		Message string          `json:"message"`
		Detail  any             `json:"detail"`
	}
	if json.Unmarshal(object, &e) != nil {
		var plain string
		if json.Unmarshal(object, &plain) == nil {
			return "", 0, plain
		}
		if plain = strings.TrimSpace(string(object)); strings.HasPrefix(plain, "<") || strings.HasPrefix(plain, "{") {
			return "", 0, "" // a page, for eyes in a browser, or half an object
		}
		return "", 0, plain
	}
	if len(e.Error) > 0 && string(e.Error) != "null" {
		return describe(e.Error)
	}
	kind, text = e.Type, e.Message
	switch code := e.Code.(type) {
	case string:
		kind = cmp.Or(code, kind)
	case float64:
		status = int(code)
	}
	if text == "" && e.Detail != nil {
		text = fmt.Sprint(e.Detail)
	}
	return kind, status, text
}

// finish puts the provider's name to an error, and takes out of its text what
// must not be shown.
func (c *Client) finish(e *model.Error) *model.Error {
	e.Provider = c.Name
	e.Message = c.clean(e.Message)
	e.Type = c.clean(e.Type)
	return e
}

func (c *Client) clean(text string) string {
	for _, secret := range c.Secrets {
		if len(secret) >= secretMin {
			text = strings.ReplaceAll(text, secret, "…")
		}
	}
	line := []rune(rules.Printable(strings.Join(strings.Fields(text), " ")))
	if len(line) > errorRunes {
		line = append(line[:errorRunes], '…')
	}
	return string(line)
}
