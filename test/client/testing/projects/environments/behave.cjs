const http = require('node:http')
const { startSimulator } = require('conversation-analytics-simulator')

/** Sends events to a sandbox. Uses the sandbox's client for a stream, JSON requests and a failing expectation. */
exports.behave = async (sim) => {
  const stream = sim.follow()
  let received
  const firstEntry = stream.next().then(({ value }) => (received = value))
  while (!received) await send(`${sim.baseUrl}/events`, sim.token) // until the stream is open
  await firstEntry
  if (received.operation !== 'createEvent') throw new Error('the stream lacks the event')
  await stream.return()
  await sim.expectReceived('createEvent')
  await sim.clock.freeze('2026-01-15T12:00:00Z')
  const failure = await sim.expectReceived('createPrompt').catch((error) => error)
  if (failure.name !== 'ExpectationError') throw failure
}

exports.startOwnSimulator = async () => {
  const simulator = await startSimulator({ seed: '1' })
  await exports.behave(simulator.sandbox())
  await simulator.close()
  const failure = await startSimulator({ contract: 'none.yaml' }).catch((error) => error)
  if (!(failure instanceof Error) || !/no such file/.test(failure.message)) throw failure
}

function send(url, token = 'any-key') {
  const event = { eventType: 'upgrade_purchased', productId: '8d2e5f60-3c1b-4a7d-9f48-2b6c0e913a75', value: '1' }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'a-client' }
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', headers }, (response) => response.resume().on('end', resolve))
    request.on('error', reject).end(JSON.stringify(event))
  })
}
