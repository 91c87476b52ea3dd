// Clients for the tests in the other folders. They are a package, so that each runner loads them like a library.
const { appendFileSync } = require('node:fs')

const headers = { 'content-type': 'application/json', 'user-agent': 'cases', authorization: 'Bearer any-key' }
const model = '00000000-0000-4000-8000-000000000002'

const sendEvent = (sim, fields = {}) => {
  const event = {
    eventType: 'purchase',
    productId: '00000000-0000-4000-9000-000000000002',
    value: '1',
    insertId: 'a',
    ...fields,
  }
  return fetch(`${sim.baseUrl}/events`, { method: 'POST', headers, body: JSON.stringify(event) })
}

const readAnalytics = (sim, extraHeaders) =>
  fetch(`${sim.baseUrl}/models/${model}/analytics?period=7d`, { headers: { ...headers, ...extraHeaders } })

/** Sends an event, and appends a record of the test to the file named in RECORDS. */
async function behave(sim, title) {
  const { eventId } = await (await sendEvent(sim)).json()
  const { CONVSIM_CONTROL_URL: controlUrl, RECORDS: file } = process.env
  const record = {
    title,
    name: sim.name,
    eventId,
    events: (await sim.events()).length,
    controlUrl,
    process: process.pid,
  }
  appendFileSync(file, `${JSON.stringify(record)}\n`)
}

const breakContract = (sim) => sendEvent(sim, { eventType: undefined })

const requestUnknownPath = (sim) => fetch(`${sim.baseUrl}/nothing`, { headers })

async function ignoreRetryAfter(sim) {
  await sim.scenario('rate-limited', { 'retry-after': 30 }, { operation: 'getModelAnalytics', times: 1 })
  for (let attempt = 0; attempt < 2; attempt += 1) await readAnalytics(sim, { 'retry-attempt': String(attempt) })
}

/** Waits as long as `Retry-After` says, by advancing fake timers and the sandbox's clock. */
async function waitOnTimers(sim, timers) {
  await sim.scenario('rate-limited', { 'retry-after': 30 }, { operation: 'getModelAnalytics', times: 1 })
  await readAnalytics(sim, { 'retry-attempt': '0' })
  const waited = new Promise((resolve) => setTimeout(resolve, 30_000))
  await sim.advanceTimers(timers, 30_000)
  await waited.then(() => readAnalytics(sim, { 'retry-attempt': '1' }))
}

const resumes = []
/** Makes two concurrent tests wait for each other, so that they overlap. */
const meet = () =>
  new Promise((resolve) => {
    resumes.push(resolve)
    if (resumes.length === 2) for (const resume of resumes.splice(0)) resume()
  })

module.exports = { behave, breakContract, ignoreRetryAfter, meet, requestUnknownPath, sendEvent, waitOnTimers }
