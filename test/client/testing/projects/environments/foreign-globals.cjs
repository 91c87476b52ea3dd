/** Classes and a function like those in happy-dom, which Node does not recognize as its own. */
class AbortSignal {
  aborted = false
  listeners = new Set()
  addEventListener(_type, listener) {
    this.listeners.add(listener)
  }
  removeEventListener(_type, listener) {
    this.listeners.delete(listener)
  }
  static timeout() {
    return new AbortSignal()
  }
}

class AbortController {
  signal = new AbortSignal()
  abort() {
    this.signal.aborted = true
    for (const listener of this.signal.listeners)
      (listener.handleEvent ?? listener).call(this.signal, { type: 'abort' })
  }
}

const fetch = async () => {
  throw new Error('Cross-Origin Request Blocked')
}

module.exports = { AbortController, AbortSignal, fetch }
