// Tests a client of the conversation-analytics service against convsim: java OrdersTest.java (JDK 17 or newer)

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

public class OrdersTest {
  static final HttpClient http = HttpClient.newHttpClient();
  static String baseUrl = System.getenv("CONVSIM_BASE_URL");
  static String controlUrl = System.getenv("CONVSIM_CONTROL_URL");

  /** The client under test. In your project, import your own client instead. */
  static void recordOrder(String baseUrl, String apiKey, String order) throws Exception {
    String event = """
        {"eventType": "purchase", "productId": "00000000-0000-4000-9000-000000000002", "value": "149.00",
         "valueType": "currency", "insertId": "%s", "externalConversationId": "chat-of-%s"}""".formatted(order, order);
    HttpRequest request = HttpRequest.newBuilder(URI.create(baseUrl + "/events"))
        .header("Authorization", "Bearer " + apiKey)
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(event))
        .build();
    for (int attempt = 1;; attempt++) {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      if (response.statusCode() < 300) return;
      var retryAfter = response.headers().firstValueAsLong("Retry-After");
      if (retryAfter.isEmpty() || attempt == 3) throw new IllegalStateException(response.body());
      Thread.sleep(retryAfter.getAsLong() * 1000);
    }
  }

  static void anOrderIsRecordedOnce(Sandbox sandbox) throws Exception {
    recordOrder(baseUrl, sandbox.key(), "order-1");
    sandbox.control("POST", "/verify?", """
        {"operation": "createEvent", "match": {"body": {"/insertId": "order-1"}}, "count": {"exactly": 1}}""");
  }

  static void anOrderIsSentAgainWhenTheServiceIsUnavailable(Sandbox sandbox) throws Exception {
    sandbox.control("PUT", "/scenarios?", """
        {"rules": [{"operation": "createEvent", "scenario": "unavailable;retry-after=1", "times": 1}]}""");
    recordOrder(baseUrl, sandbox.key(), "order-2");
    sandbox.control("POST", "/verify?", """
        {"operation": "createEvent", "match": {"body": {"/insertId": "order-2"}}, "count": {"exactly": 2}}""");
  }

  /** The part of the simulator that belongs to one test. The client's key names the sandbox. */
  record Sandbox(String name) {
    String key() {
      return "any-key~" + name;
    }

    /** Calls the control plane. Any status but 200, such as 417 for an unmet expectation, fails the test. */
    void control(String method, String path, String body) throws Exception {
      var request = HttpRequest.newBuilder(URI.create(controlUrl + path + "sandbox=" + name))
          .method(method, BodyPublishers.ofString(body));
      if (!body.isEmpty()) request.header("Content-Type", "application/json");
      HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
      if (response.statusCode() != 200) throw new AssertionError(response.body());
    }

    /** Fails if a request broke the contract, was refused unexpectedly, or broke a retry rule. */
    void expectNoFindings() throws Exception {
      control("GET", "/report?format=text&failOn=violation,unexpected,retry&", "");
    }
  }

  interface Test {
    void run(Sandbox sandbox) throws Exception;
  }

  /** Runs a test in a sandbox named after it. In JUnit, use @BeforeEach, @Test and @AfterEach instead. */
  static boolean runTest(String name, Test test) {
    var sandbox = new Sandbox(name.replace(' ', '-'));
    String problems = findProblem(sandbox, s -> s.control("POST", "/reset?", ""))
        + findProblem(sandbox, test)
        + findProblem(sandbox, Sandbox::expectNoFindings);
    System.out.println(problems.isEmpty() ? "ok: " + name : "FAILED: " + name + "\n" + problems);
    return problems.isEmpty();
  }

  static String findProblem(Sandbox sandbox, Test test) {
    try {
      test.run(sandbox);
      return "";
    } catch (Exception | AssertionError problem) {
      return problem.getMessage() + "\n";
    }
  }

  /** Uses the simulator that CI started, or starts one on a free port. */
  public static void main(String[] args) throws Exception {
    Process simulator = baseUrl == null || controlUrl == null ? start() : null;
    boolean isRecorded = runTest("an order is recorded once", OrdersTest::anOrderIsRecordedOnce);
    boolean isSentAgain = runTest("an order is sent again when the service is unavailable",
        OrdersTest::anOrderIsSentAgainWhenTheServiceIsUnavailable);
    if (simulator != null) simulator.destroy();
    System.exit(isRecorded && isSentAgain ? 0 : 1);
  }

  static Process start() throws Exception {
    String command = System.getenv().getOrDefault("CONVSIM", "node_modules/.bin/convsim");
    Process process = new ProcessBuilder(command, "--port", "0", "--state", ":memory:", "--log-level", "warn")
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    String line = process.inputReader().readLine(); // the only line on stdout, printed when the simulator is ready
    var origin = Pattern.compile("is listening on (http://[^\\s\"]+)").matcher(String.valueOf(line));
    if (!origin.find()) throw new IllegalStateException("convsim did not start; see its output above");
    baseUrl = origin.group(1) + "/v1";
    controlUrl = origin.group(1) + "/__sim";
    return process;
  }
}
