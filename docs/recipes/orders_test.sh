#!/bin/sh
# Tests a client of the conversation-analytics service against convsim: sh orders_test.sh
# Requires sh and curl 7.76 or newer. `check` runs a test and prints its outcome. The exit code is 1 if any test fails.
set -u

# The client under test. In your project, call your own client instead.
record_order() { # record_order BASE_URL API_KEY ORDER
  curl --silent --fail --retry 2 --output /dev/null "$1/events" \
    -H "Authorization: Bearer $2" -H 'Content-Type: application/json' -d '{
      "eventType": "purchase", "productId": "00000000-0000-4000-9000-000000000002", "value": "149.00",
      "valueType": "currency", "insertId": "'"$3"'", "externalConversationId": "chat-of-'"$3"'" }'
}

# Calls the control plane for the test's sandbox: control METHOD PATH [BODY]
# Prints the reason and fails if the status is 400 or more, such as 417 for an unmet expectation.
control() {
  separator='?'
  case $2 in *\?*) separator='&' ;; esac
  response=$(curl --silent --fail-with-body -X "$1" -H 'Content-Type: application/json' \
    "$CONVSIM_CONTROL_URL$2${separator}sandbox=$sandbox" ${3:+-d "$3"}) || {
    printf '%s\n' "$response"
    return 1
  }
}

an_order_is_recorded_once() {
  record_order "$CONVSIM_BASE_URL" "any-key~$sandbox" order-1 &&
    control POST /verify '{
      "operation": "createEvent", "match": { "body": { "/insertId": "order-1" } }, "count": { "exactly": 1 } }'
}

an_order_is_sent_again_when_the_service_is_unavailable() {
  control PUT /scenarios '{
    "rules": [{ "operation": "createEvent", "scenario": "unavailable;retry-after=1", "times": 1 }] }' &&
    record_order "$CONVSIM_BASE_URL" "any-key~$sandbox" order-2 &&
    control POST /verify '{
      "operation": "createEvent", "match": { "body": { "/insertId": "order-2" } }, "count": { "exactly": 2 } }'
}

# Runs a test in a sandbox named after it. The test also fails if a request broke the contract, was refused
# unexpectedly, or broke a retry rule.
check() {
  sandbox=$1
  outcome=ok
  {
    control POST /reset && "$1" || outcome=FAILED
    control GET '/report?format=text&failOn=violation,unexpected,retry' || outcome=FAILED
  } >"$messages"
  echo "$outcome: $1"
  [ "$outcome" = ok ] || { cat "$messages"; failed=1; }
}

# Uses the simulator that CI started, or starts one on a free port and runs this script again with the simulator's URLs.
if [ -z "${CONVSIM_BASE_URL:-}" ] || [ -z "${CONVSIM_CONTROL_URL:-}" ]; then
  exec "${CONVSIM:-node_modules/.bin/convsim}" exec --log-level warn -- sh "$0"
fi

messages=$(mktemp)
trap 'rm -f "$messages"' EXIT
failed=0
check an_order_is_recorded_once
check an_order_is_sent_again_when_the_service_is_unavailable
exit "$failed"
