// Tests a client of the conversation-analytics service against convsim: go test orders_test.go
package orders

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var baseURL, controlURL = os.Getenv("CONVSIM_BASE_URL"), os.Getenv("CONVSIM_CONTROL_URL")

// recordOrder is the client under test. In your project, import your own client instead.
func recordOrder(baseURL, apiKey, order string) error {
	event, _ := json.Marshal(map[string]string{
		"eventType": "purchase", "productId": "00000000-0000-4000-9000-000000000002", "value": "149.00",
		"valueType": "currency", "insertId": order, "externalConversationId": "chat-of-" + order,
	})
	for attempt := 1; ; attempt++ {
		request, err := http.NewRequest("POST", baseURL+"/events", bytes.NewReader(event))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+apiKey)
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		response.Body.Close()
		if response.StatusCode < 300 {
			return nil
		}
		seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
		if err != nil || attempt == 3 {
			return fmt.Errorf("the service returned %s", response.Status)
		}
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

// TestMain uses the simulator that CI started, or starts one on a free port.
func TestMain(m *testing.M) {
	if baseURL != "" && controlURL != "" {
		os.Exit(m.Run())
	}
	command := os.Getenv("CONVSIM")
	if command == "" {
		command = "node_modules/.bin/convsim"
	}
	simulator := exec.Command(command, "--port", "0", "--state", ":memory:", "--log-level", "warn")
	simulator.Stderr = os.Stderr
	stdout, err := simulator.StdoutPipe()
	if err == nil {
		err = simulator.Start()
	}
	if err != nil {
		panic(err)
	}
	line, _ := bufio.NewReader(stdout).ReadString('\n') // the only line on stdout, printed when the simulator is ready
	found := regexp.MustCompile(`is listening on (http://[^\s"]+)`).FindStringSubmatch(line)
	if found == nil {
		panic("convsim did not start; see its output above")
	}
	baseURL, controlURL = found[1]+"/v1", found[1]+"/__sim"
	code := m.Run()
	simulator.Process.Signal(os.Interrupt)
	simulator.Wait()
	os.Exit(code)
}

// sandbox is the part of the simulator that belongs to one test.
type sandbox struct {
	t    *testing.T
	name string
}

// newSandbox returns a sandbox named after the test. When the test ends, it fails if a request broke the contract, was
// refused unexpectedly, or broke a retry rule.
func newSandbox(t *testing.T) sandbox {
	s := sandbox{t, strings.ReplaceAll(t.Name(), "/", "-")} // the name of a subtest contains a slash
	s.control("POST", "/reset?", "")
	t.Cleanup(func() { s.control("GET", "/report?format=text&failOn=violation,unexpected,retry&", "") })
	return s
}

// control calls the control plane. Any status but 200, such as 417 for an unmet expectation, fails the test.
func (s sandbox) control(method, path, body string) {
	s.t.Helper()
	request, _ := http.NewRequest(method, controlURL+path+"sandbox="+s.name, strings.NewReader(body))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); response.StatusCode != 200 {
		s.t.Error(string(text))
	}
}

// key returns an API key that names the sandbox, so the client's requests belong to it.
func (s sandbox) key() string { return "any-key~" + s.name }

func TestAnOrderIsRecordedOnce(t *testing.T) {
	s := newSandbox(t)
	if err := recordOrder(baseURL, s.key(), "order-1"); err != nil {
		t.Fatal(err)
	}
	s.control("POST", "/verify?",
		`{"operation": "createEvent", "match": {"body": {"/insertId": "order-1"}}, "count": {"exactly": 1}}`)
}

func TestAnOrderIsSentAgainWhenTheServiceIsUnavailable(t *testing.T) {
	s := newSandbox(t)
	s.control("PUT", "/scenarios?",
		`{"rules": [{"operation": "createEvent", "scenario": "unavailable;retry-after=1", "times": 1}]}`)
	if err := recordOrder(baseURL, s.key(), "order-2"); err != nil {
		t.Fatal(err)
	}
	s.control("POST", "/verify?",
		`{"operation": "createEvent", "match": {"body": {"/insertId": "order-2"}}, "count": {"exactly": 2}}`)
}
